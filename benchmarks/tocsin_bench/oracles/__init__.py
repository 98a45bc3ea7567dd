"""Independent slow truths: nothing in this folder imports the code under test."""
