"""Public photographs of small flat pieces, as sets to enrol and to name: which there are, and what prepares them."""
