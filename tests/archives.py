"""Archives as numpy writes them, of whatever bytes."""

import io
import zipfile


def npz(**members):
    """Return an archive whose arrays are these bytes, whatever they are."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return stream.getvalue()
