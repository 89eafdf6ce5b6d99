"""The web app for phones, tablets and televisions, and the processes that serve it."""
