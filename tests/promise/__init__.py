"""The promise of the library, attacked: the table of cases, planted contacts, properties, bad input, caps."""
