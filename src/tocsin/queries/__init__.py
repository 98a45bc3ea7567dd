"""Questions, one file each, over one `Context`: tables, buffers and rules of a scene.

    first_contact       when anything first touches; is_free
    all_contacts        every contact, of bodies and of deformable models
    contact_intervals   during which times links are in contact
    distance            how far apart things are
    audit/              whole trajectories

A question checks what it is given, takes from the context what it needs (`context.ready`: tables, this thread's
buffers), makes one compiled call (`kernels/`, or an engine of `engines/`), and puts what comes back into a record.
"""
