"""`python -m tocsin` is `tocsin`."""

from tocsin_command import main

if __name__ == "__main__":  # not in a process that `tocsin warmup` starts, which imports this file
    main()
