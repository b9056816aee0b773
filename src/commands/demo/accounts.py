"""Accounts of customers."""

import hashlib
import secrets


class Accounts:
    def __init__(self, store):
        self.store = store

    def register_customer(self, name, password):
        """Store a new customer; the password is hashed with a fresh salt."""
        salt = secrets.token_bytes(16)
        hashed = hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1)
        self.store.insert({"name": name, "salt": salt, "password": hashed})

    def rename(self, old, new):
        account = self.store.find(old)
        account["name"] = new
        self.store.update(account)
