"""Orders of customers."""


class Orders:
    def __init__(self, store, accounts):
        self.store = store
        self.accounts = accounts

    def place(self, customer, items):
        """Store a new order and return its number."""
        total = sum(item.price * item.count for item in items)
        return self.store.insert({"customer": customer, "items": items, "total": total})

    def cancel(self, number):
        order = self.store.find(number)
        if order["shipped"]:
            raise ValueError("a shipped order cannot be cancelled")
        self.store.delete(number)
