"""Write questions as batch files of APIs, and turn their answers into plays."""
