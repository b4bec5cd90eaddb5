"""What panels are made of: the grid, the editor, uploads, pictures, work in a thread, and what all panels share."""
