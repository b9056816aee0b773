//! Judges how much of an example an edit left.
//!
//! Pure. The three degrees are the same for all anchors, whoever chose them.

use cerberus_model::Fingerprint;
use serde::Serialize;

use super::weights::DegreeLimits;
use crate::syntax::fingerprint::SymbolFeatures;
use crate::track::search;
use crate::track::weights::WEIGHTS;

/// How much of an example an edit changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Degree {
    /// Most of the code is as before.
    Touched,
    /// So much changed that a person has to decide whether it is still the example.
    Edited,
    /// Nearly nothing is left.
    Gutted,
}

impl Degree {
    /// Returns the degree of an edit from a recorded fingerprint to the current code.
    pub(super) fn new(old: &Fingerprint, new: &SymbolFeatures) -> Self {
        let DegreeLimits {
            touched,
            kept_identifiers,
            kept_tokens,
            gutted,
        } = WEIGHTS.degree;
        let similarity = super::similarity(old, &new.fingerprint);
        let tokens = f64::from(new.fingerprint.n_tokens) / f64::from(old.n_tokens.max(1));
        let identifiers = if old.names.is_empty() {
            1.0
        } else {
            search::share(&old.names, &new.names)
        };
        if similarity < gutted || tokens < gutted {
            Self::Gutted
        } else if similarity >= touched && tokens >= kept_tokens && identifiers >= kept_identifiers
        {
            Self::Touched
        } else {
            Self::Edited
        }
    }
}

#[cfg(test)]
mod tests {
    use cerberus_model::Language;

    use super::*;
    use crate::syntax::ParsedFile;
    use crate::syntax::fingerprint::FileFeatures;

    fn features(language: Language, text: &str) -> SymbolFeatures {
        let parsed = ParsedFile::parse(language, text);
        FileFeatures::new(text, &parsed).symbol(0)
    }

    /// Each example: its language, its code, harmless edits as pairs of old and new text, bodies that
    /// leave nothing of it, and bodies that only share its signature or a few calls.
    type Example = (
        Language,
        &'static str,
        [(&'static str, &'static str); 7],
        [&'static str; 4],
        [&'static str; 3],
    );

    const EXAMPLES: &[Example] = &[
        (
            Language::Python,
            "def load(path, limit):\n    rows = []\n    with open(path) as source:\n        for line in source:\n            cells = line.strip().split(',')\n            if len(cells) > limit:\n                raise ValueError(cells)\n            rows.append(cells)\n    return rows\n",
            [
                ("> limit", ">= limit"),
                ("','", "';'"),
                (
                    "    return rows",
                    "    log.debug(len(rows))\n    return rows",
                ),
                ("path, limit", "path, limit=10"),
                ("rows = []", "rows: list = []"),
                ("ValueError(cells)", "ValueError(path, cells)"),
                ("open(path)", "open(path, encoding='utf-8')"),
            ],
            [
                "def load(path, limit):\n    pass\n",
                "def load(path, limit):\n    raise NotImplementedError\n",
                "def load(path, limit):\n    return cache[path]\n",
                "def load(path, limit):\n    return pandas.read_csv(path, nrows=limit, engine='c').values.tolist()\n",
            ],
            [
                "def load(path, limit):\n    return [row for row in stream.fetch(limit) if row.is_valid]\n",
                "def load(path, limit):\n    client = Client(path)\n    client.connect(timeout=limit)\n    return client.download().decode()\n",
                "def load(path, limit):\n    rows = []\n    # with open(path) as source:\n    #     for line in source:\n    #         rows.append(line)\n    return rows\n",
            ],
        ),
        (
            Language::Go,
            "package p\nfunc (l *Limiter) Reject(w http.ResponseWriter, wait time.Duration) {\n\tseconds := int(wait.Seconds()) + 1\n\tw.Header().Set(\"Retry-After\", strconv.Itoa(seconds))\n\thttp.Error(w, \"too many requests\", http.StatusTooManyRequests)\n}\n",
            [
                ("+ 1", "+ 2"),
                ("too many requests", "slow down"),
                ("\thttp.Error", "\tl.rejected++\n\thttp.Error"),
                ("seconds := int", "seconds := int64"),
                ("Retry-After", "retry-after"),
                ("wait time.Duration)", "wait time.Duration, reason string)"),
                ("\tw.Header()", "\tlog.Println(seconds)\n\tw.Header()"),
            ],
            [
                "package p\nfunc (l *Limiter) Reject() {\n}\n",
                "package p\nfunc (l *Limiter) Reject() {\n\tpanic(\"later\")\n}\n",
                "package p\nfunc (l *Limiter) Reject() error {\n\treturn nil\n}\n",
                "package p\nfunc (l *Limiter) Reject() {\n\tl.next.Forward(l.queue, l.clock)\n}\n",
            ],
            [
                "package p\nfunc (l *Limiter) Reject(w http.ResponseWriter, wait time.Duration) {\n}\n",
                "package p\nfunc (l *Limiter) Reject(w http.ResponseWriter, wait time.Duration) {\n\tl.next.Forward(w, wait)\n}\n",
                "package p\nfunc (l *Limiter) Reject(w http.ResponseWriter, wait time.Duration) {\n\tfor _, it := range l.queue {\n\t\tit.Cancel(l.clock.Now())\n\t}\n\tl.queue = nil\n}\n",
            ],
        ),
        (
            Language::TypeScript,
            "export function escapeHtml(text: string): string {\n  const found = text.match(UNSAFE);\n  if (!found) {\n    return text;\n  }\n  return text.replace(UNSAFE, (it) => ENTITIES[it] ?? it);\n}\n",
            [
                ("?? it", "|| it"),
                ("const found", "let found"),
                (
                    "  return text.replace",
                    "  count(found);\n  return text.replace",
                ),
                ("text: string)", "text: string, unused = 0)"),
                ("if (!found)", "if (found === null)"),
                ("export function", "export default function"),
                ("match(UNSAFE)", "match(UNSAFE_TEXT)"),
            ],
            [
                "export function escapeHtml(text: string): string {\n  return text;\n}\n",
                "export function escapeHtml() {}\n",
                "export function escapeHtml(): string {\n  throw new Error('later');\n}\n",
                "export function escapeHtml(node: Node) {\n  node.dispose();\n  return registry.render(node.id);\n}\n",
            ],
            [
                "export function escapeHtml(text: string): string {\n  return String(text);\n}\n",
                "export function escapeHtml(text: string): string {\n  return purifier.sanitize(text, OPTIONS).trim();\n}\n",
                "export const escapeHtml = (text: string): string => text;\n",
            ],
        ),
        (
            Language::Rust,
            "fn close(session: &mut Session, clock: &Clock) -> Result<Token> {\n    if session.is_open() {\n        session.flush(clock.now())?;\n        session.set_open(false);\n    }\n    Ok(session.token().clone())\n}\n",
            [
                ("clock.now()", "clock.start()"),
                ("set_open(false)", "set_open(!true)"),
                ("    Ok(", "    debug!(\"closed\");\n    Ok("),
                (".clone()", ".to_owned()"),
                ("session: &mut Session", "session: &mut OpenSession"),
                (
                    "        session.set_open",
                    "        trace!(\"flushed\");\n        session.set_open",
                ),
                (
                    "session.is_open() {",
                    "session.is_open() && !session.is_shared() {",
                ),
            ],
            [
                "fn close() {}\n",
                "fn close() -> Result<()> {\n    todo!()\n}\n",
                "fn close(pool: Pool) {\n    drop(pool);\n}\n",
                "fn close(pool: &Pool) -> usize {\n    pool.connections().filter(|it| it.age() > LIMIT).count()\n}\n",
            ],
            [
                "fn close(session: &mut Session, clock: &Clock) -> Result<Token> {\n    unimplemented!()\n}\n",
                "fn close(session: &mut Session, clock: &Clock) -> Result<Token> {\n    pool::release(session, clock)\n}\n",
                "fn close(session: &mut Session, clock: &Clock) -> Result<Token> {\n    let archive = Archive::open(PATH)?;\n    archive.append(Entry::at(clock))?;\n    archive.finish().map(Token::new)\n}\n",
            ],
        ),
        (
            Language::Java,
            "class A {\n  Order ship(Order order, Carrier carrier) {\n    Label label = carrier.label(order.address());\n    if (label == null) {\n      throw new ShippingException(order.id());\n    }\n    orders.save(order.shippedWith(label));\n    return order;\n  }\n}\n",
            [
                ("== null", "== Label.NONE"),
                (
                    "    return order;",
                    "    metrics.count();\n    return order;",
                ),
                ("order.id()", "order.number()"),
                ("Order ship(", "public Order ship("),
                (
                    "carrier.label(order.address())",
                    "carrier.label(order.address(), PDF)",
                ),
                (
                    "ShippingException(order.id())",
                    "ShippingException(order.id(), carrier)",
                ),
                (
                    "    orders.save",
                    "    audit.record(order);\n    orders.save",
                ),
            ],
            [
                "class A {\n}\n",
                "class A {\n  Order ship(Order order, Carrier carrier) { return null; }\n}\n",
                "class A {\n  void ship() { throw new UnsupportedOperationException(); }\n}\n",
                "class A {\n  int size() { return queue.size(); }\n}\n",
            ],
            [
                "class A {\n  Order ship(Order order, Carrier carrier) {\n    return warehouse.dispatch(order, carrier);\n  }\n}\n",
                "class A {\n  Order ship(Order order, Carrier carrier) {\n    for (Item item : order.items()) {\n      stock.reserve(item.sku(), item.count());\n    }\n    return order.reserved();\n  }\n}\n",
                "class A {\n  Order ship(Order order, Carrier carrier) {\n    // Label label = carrier.label(order.address());\n    // orders.save(order.shippedWith(label));\n    return order;\n  }\n}\n",
            ],
        ),
        (
            Language::JavaScript,
            "function total(lines, rates) {\n  let sum = 0;\n  for (const line of lines) {\n    const rate = rates.get(line.country) ?? 0;\n    sum += line.price * line.quantity * (1 + rate);\n  }\n  return Math.round(sum * 100) / 100;\n}\n",
            [
                ("?? 0", "?? 0.2"),
                ("let sum = 0", "let sum = 0.0"),
                ("  return Math", "  trace(sum);\n  return Math"),
                ("lines, rates", "lines, rates, options"),
                ("function total(", "export function total("),
                ("line.price * line.quantity", "line.quantity * line.price"),
                ("of lines) {", "of lines) {\n    if (line.isGift) continue;"),
            ],
            [
                "function total(lines) {\n  return 0;\n}\n",
                "function total() {}\n",
                "function total(lines) {\n  return server.total(lines);\n}\n",
                "function total() {\n  throw new Error('not here');\n}\n",
            ],
            [
                "function total(lines, rates) {\n  return lines.length;\n}\n",
                "function total(lines, rates) {\n  return lines.map((it) => it.total).reduce((a, b) => a + b);\n}\n",
                "function total(lines, rates) {\n  const cart = new Cart(lines);\n  cart.applyDiscounts(store.discounts);\n  return cart.checkout().amount;\n}\n",
            ],
        ),
    ];

    #[test]
    fn harmless_edits_are_touched_and_gutted_code_is_stopped() {
        for (language, code, harmless, gutted, emptied) in EXAMPLES {
            let old = features(*language, code).fingerprint;
            for (from, to) in harmless {
                assert!(code.contains(from), "{from}");
                let degree = Degree::new(&old, &features(*language, &code.replacen(from, to, 1)));
                assert_eq!(degree, Degree::Touched, "{code}: {from} to {to}");
            }
            for code in gutted {
                let degree = Degree::new(&old, &features(*language, code));
                assert_eq!(degree, Degree::Gutted, "{code}");
            }
            for code in emptied {
                let degree = Degree::new(&old, &features(*language, code));
                assert!(degree > Degree::Touched, "{code}");
            }
        }
    }

    #[test]
    fn half_of_the_code_is_edited() {
        let (language, code, ..) = EXAMPLES[0];
        let half: String = code
            .lines()
            .take(5)
            .map(|line| format!("{line}\n"))
            .collect();
        let degree = Degree::new(
            &features(language, code).fingerprint,
            &features(language, &half),
        );
        assert_eq!(degree, Degree::Edited);
    }
}
