"""The building blocks of panels: the grid, the editor, uploads, pictures, work in threads, and shared code."""
