"""The compiled calls of questions, one file each; `candidates`, what they begin with, is shared."""
