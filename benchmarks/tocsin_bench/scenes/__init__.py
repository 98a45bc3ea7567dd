"""What is moved: the papers' scenes and others, made in code to their sizes, and pictures of them."""
