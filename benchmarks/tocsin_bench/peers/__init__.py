"""What users would pick instead, each behind the same few methods; heavy libraries are imported when one is made."""
