//! The sample project of most tests: seven files in three languages, and rules with exactly one
//! clear example each.

/// The path and text of each file.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("shop/accounts.py", ACCOUNTS),
    ("shop/orders.py", ORDERS),
    ("shop/db.py", DB),
    ("api/limit.go", LIMIT),
    ("api/health.go", HEALTH),
    ("web/cart.ts", CART),
    ("web/html.ts", HTML),
];

/// The id, text and example (file and symbol) of a rule.
type Rule = (
    &'static str,
    &'static str,
    Option<(&'static str, &'static str)>,
);

/// The rules. The last one has no example.
pub(crate) const RULES: &[Rule] = &[
    (
        "hash-passwords",
        "Hash the password with a fresh salt before the account is stored",
        Some(("shop/accounts.py", "AccountStore.hash_password")),
    ),
    (
        "close-session",
        "Close the database session in a finally block when the request ends",
        Some(("shop/db.py", "request_session")),
    ),
    (
        "limit-clients",
        "Answer too many requests from one client with the limiter's retry header",
        Some(("api/limit.go", "Limiter.RejectClient")),
    ),
    (
        "escape-html",
        "Escape HTML entities in text before it is rendered as markup",
        Some(("web/html.ts", "escapeHtml")),
    ),
    (
        "hang-curtains",
        "Hang velvet curtains in golden ballrooms",
        None,
    ),
];

const ACCOUNTS: &str = r#""""Accounts of the shop's customers."""

import hashlib
import secrets


class AccountStore:
    """Keeps accounts by their name."""

    def __init__(self):
        self.accounts = {}

    def hash_password(self, password):
        """Hash a password with a fresh salt before the account is stored."""
        salt = secrets.token_bytes(16)
        digest = hashlib.scrypt(password.encode(), salt=salt, n=16384, r=8, p=1)
        return salt + digest

    def find(self, name):
        return self.accounts.get(name)
"#;

const ORDERS: &str = r#""""Orders and what they cost."""


def total(lines):
    """Add up the lines of an order."""
    return sum(line.price * line.quantity for line in lines)


def ship(order, carrier):
    """Hand an order to its carrier."""
    label = carrier.label(order.address)
    order.shipped_with(label)
    return label
"#;

const DB: &str = r#""""Connections to the database."""

from contextlib import contextmanager


@contextmanager
def request_session(factory):
    """Open a database session, closed in a finally block when the request ends."""
    session = factory()
    try:
        yield session
        session.commit()
    finally:
        session.close()


def migrate(connection, steps):
    for step in steps:
        connection.execute(step)
"#;

const LIMIT: &str = r#"// Package api serves the shop.
package api

import (
	"net/http"
	"strconv"
)

// Limiter counts the requests of each client.
type Limiter struct {
	seen map[string]int
	most int
}

// RejectClient answers too many requests from one client with a retry header.
func (l *Limiter) RejectClient(w http.ResponseWriter, client string, retry int) bool {
	l.seen[client]++
	if l.seen[client] <= l.most {
		return false
	}
	w.Header().Set("Retry-After", strconv.Itoa(retry))
	http.Error(w, "too many requests", http.StatusTooManyRequests)
	return true
}

// Forget drops what is known of a client.
func (l *Limiter) Forget(client string) {
	delete(l.seen, client)
}
"#;

const HEALTH: &str = r#"package api

import "net/http"

// Health says that the server is alive.
func Health(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusNoContent)
}
"#;

const CART: &str = r#"export interface CartLine {
  sku: string;
  quantity: number;
}

/** Puts one more piece into the cart. */
export function addToCart(cart: CartLine[], sku: string): CartLine[] {
  const line = cart.find((it) => it.sku === sku);
  if (line) {
    return cart.map((it) => (it === line ? { ...it, quantity: it.quantity + 1 } : it));
  }
  return [...cart, { sku, quantity: 1 }];
}
"#;

const HTML: &str = r#"const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Escapes HTML entities in text before it is rendered as markup. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>]/g, (found) => ENTITIES[found]);
}

export function truncate(title: string, most: number): string {
  return title.length > most ? `${title.slice(0, most)}…` : title;
}
"#;
