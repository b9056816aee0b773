//! Follows one of several definitions of a name in each language.

use cerberus_model::State;

use super::super::tests::{anchor_at, follow_all, spell, write};
use super::super::{Degree, InPlaceSymbol, Outcome, verify_in_place};

/// Definitions of one name in a file.
struct Namesakes {
    file: &'static str,
    name: &'static str,
    /// The code before and after all definitions.
    around: [&'static str; 2],
    first: &'static str,
    second: &'static str,
    third: &'static str,
    /// Parts of the first and the second definition, with an edit of the first and the remains of a
    /// gutted second.
    edit: [&'static str; 2],
    gut: [&'static str; 2],
    /// A part of the second definition, the same with another name, and that name.
    rename: [&'static str; 3],
}

const CASES: [Namesakes; 6] = [
    Namesakes {
        file: "Mailer.java",
        name: "Mailer.send",
        around: ["class Mailer {\n", "}\n"],
        first: "  void send(String to) {\n    Message message = render(to);\n    queue.add(message.sign(key));\n    log.info(to);\n  }\n",
        second: "  void send(String to, int times) {\n    for (int n = 0; n < times; n++) {\n      if (client.post(render(to)).ok()) return;\n      sleep(jitter(budget, n));\n    }\n    throw new Exhausted(to);\n  }\n",
        third: "  void send(Group group) {\n    for (Member member : group.members()) {\n      archive.store(member.address(), group.footer());\n    }\n  }\n",
        edit: [
            "queue.add(message.sign(key))",
            "queue.addFirst(message.sign(key, clock))",
        ],
        gut: [
            "    for (int n = 0; n < times; n++) {\n      if (client.post(render(to)).ok()) return;\n      sleep(jitter(budget, n));\n    }\n    throw new Exhausted(to);\n",
            "",
        ],
        rename: [
            "send(String to, int times)",
            "deliver(String to, int times)",
            "Mailer.deliver",
        ],
    },
    Namesakes {
        file: "mailer.ts",
        name: "Mailer.size",
        around: ["export class Mailer {\n", "}\n"],
        first: "  get size(): number {\n    const waiting = this.queue.filter((it) => !it.sent);\n    return waiting.length + this.drafts.size;\n  }\n",
        second: "  set size(limit: number) {\n    if (limit < this.queue.length) {\n      this.queue.splice(limit).forEach((it) => this.archive.push(it));\n    }\n    this.limit = limit;\n  }\n",
        third: "  size(unit: Unit): string {\n    const bytes = this.attachments.reduce((sum, it) => sum + it.bytes, 0);\n    return unit.format(bytes);\n  }\n",
        edit: ["!it.sent", "it.state === 'open'"],
        gut: [
            "    if (limit < this.queue.length) {\n      this.queue.splice(limit).forEach((it) => this.archive.push(it));\n    }\n    this.limit = limit;\n",
            "",
        ],
        rename: ["set size(limit", "set capacity(limit", "Mailer.capacity"],
    },
    Namesakes {
        file: "mailer.js",
        name: "send",
        around: ["const queue = [];\n", "module.exports = send;\n"],
        first: "function send(mail) {\n  const signed = sign(mail, key);\n  queue.push(signed);\n  log.info(mail.to, queue.length);\n}\n",
        second: "function send(mail, times) {\n  for (let n = 0; n < times; n += 1) {\n    if (client.post(mail.body).ok) return;\n    sleep(jitter(budget, n));\n  }\n  throw new Exhausted(mail);\n}\n",
        third: "function send(group) {\n  for (const member of group.members) {\n    archive.store(member.address, group.footer);\n  }\n}\n",
        edit: ["queue.push(signed)", "queue.unshift(signed, clock.now())"],
        gut: [
            "  for (let n = 0; n < times; n += 1) {\n    if (client.post(mail.body).ok) return;\n    sleep(jitter(budget, n));\n  }\n  throw new Exhausted(mail);\n",
            "",
        ],
        rename: ["send(mail, times)", "deliver(mail, times)", "deliver"],
    },
    Namesakes {
        file: "mailer.py",
        name: "Mailer.size",
        around: ["class Mailer:\n", ""],
        first: "    @property\n    def size(self):\n        waiting = [it for it in self.queue if not it.sent]\n        return len(waiting) + self.drafts.count()\n\n",
        second: "    @size.setter\n    def size(self, limit):\n        if limit < len(self.queue):\n            self.archive.extend(self.queue[limit:])\n            del self.queue[limit:]\n        self.limit = check(limit)\n\n",
        third: "    @size.deleter\n    def size(self):\n        for draft in self.drafts.values():\n            draft.discard(reason=\"deleted\")\n        self.drafts.clear()\n\n",
        edit: ["if not it.sent", "if it.state == OPEN"],
        gut: [
            "        if limit < len(self.queue):\n            self.archive.extend(self.queue[limit:])\n            del self.queue[limit:]\n        self.limit = check(limit)\n",
            "        pass\n",
        ],
        rename: [
            "size.setter\n    def size",
            "capacity.setter\n    def capacity",
            "Mailer.capacity",
        ],
    },
    Namesakes {
        file: "mail.rs",
        name: "Mail.fmt",
        around: ["struct Mail;\n", ""],
        first: "impl Display for Mail {\n    fn fmt(&self, f: &mut Formatter<'_>) -> Result {\n        let subject = self.subject.trim();\n        write!(f, \"{} to {}\", subject, self.recipients.join(\", \"))\n    }\n}\n",
        second: "impl Debug for Mail {\n    fn fmt(&self, f: &mut Formatter<'_>) -> Result {\n        let mut shown = f.debug_struct(\"Mail\");\n        shown.field(\"subject\", &self.subject);\n        shown.field(\"body\", &mask(&self.body, SECRETS)).finish()\n    }\n}\n",
        third: "impl LowerHex for Mail {\n    fn fmt(&self, f: &mut Formatter<'_>) -> Result {\n        for byte in self.body.as_bytes() {\n            LowerHex::fmt(byte, f)?;\n        }\n        Ok(())\n    }\n}\n",
        edit: [
            "self.subject.trim()",
            "self.subject.as_deref().unwrap_or(NO_SUBJECT)",
        ],
        gut: [
            "        let mut shown = f.debug_struct(\"Mail\");\n        shown.field(\"subject\", &self.subject);\n        shown.field(\"body\", &mask(&self.body, SECRETS)).finish()\n",
            "        Ok(())\n",
        ],
        rename: [
            "Debug for Mail {\n    fn fmt",
            "Mail {\n    fn fmt_masked",
            "Mail.fmt_masked",
        ],
    },
    Namesakes {
        file: "mail.go",
        name: "init",
        around: ["package mail\n", "func send() {}\n"],
        first: "func init() {\n\tfor _, host := range hosts {\n\t\tpool.Register(host, dial(host, timeout))\n\t}\n}\n",
        second: "func init() {\n\tflag.StringVar(&sender, \"from\", os.Getenv(\"SENDER\"), \"the sender\")\n\tflag.IntVar(&retries, \"retries\", limit, \"attempts\")\n\tif sender == \"\" {\n\t\tpanic(errNoSender)\n\t}\n}\n",
        third: "func init() {\n\tmetrics.Counter(\"mails\").Describe(labels)\n\tmetrics.Gauge(\"queue\").Describe(labels)\n}\n",
        edit: ["dial(host, timeout)", "retry.Dial(host, budget, jitter)"],
        gut: [
            "\tflag.StringVar(&sender, \"from\", os.Getenv(\"SENDER\"), \"the sender\")\n\tflag.IntVar(&retries, \"retries\", limit, \"attempts\")\n\tif sender == \"\" {\n\t\tpanic(errNoSender)\n\t}\n",
            "",
        ],
        rename: [
            "func init() {\n\tflag",
            "func parseFlags() {\n\tflag",
            "parseFlags",
        ],
    },
];

impl Namesakes {
    fn text(&self, definitions: &[&str]) -> String {
        let [before, after] = self.around;
        format!("{before}{}{after}", definitions.join("\n"))
    }

    /// Returns the outcome of an anchor to one of several definitions, and the current one if it is
    /// found.
    fn follow(
        &self,
        old: &[&str],
        number: usize,
        new: &[&str],
    ) -> (Outcome, Option<InPlaceSymbol>) {
        let (before, after) = (
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
        );
        write(before.path(), &[(self.file, &self.text(old))]);
        write(after.path(), &[(self.file, &self.text(new))]);
        let location = format!("{}::{}#{number}", self.file, self.name);
        let anchor = anchor_at(before.path(), &location);
        assert_eq!(anchor.symbol, Some(format!("{}#{number}", self.name)));
        let outcome = follow_all(after.path(), std::slice::from_ref(&anchor)).remove(0);
        let verified = verify_in_place(after.path(), self.file, &[&anchor]).remove(0);
        (outcome, verified)
    }

    /// Checks the outcome of an anchor to the second definition.
    fn check(&self, new: &[&str], expected: &str) {
        let (outcome, verified) = self.follow(&[self.first, self.second], 2, new);
        let expected = expected.replace("@", &format!("{}::{}", self.file, self.name));
        assert_eq!(spell(&outcome), expected, "{new:#?} {outcome:#?}");
        if outcome.state == State::Edited {
            assert!(outcome.degree > Some(Degree::Touched), "{outcome:#?}");
        }
        if outcome.state == State::Fresh {
            assert_eq!(
                verified.map(|it| it.state),
                Some(State::Fresh),
                "{expected}"
            );
        }
    }
}

#[test]
fn one_of_two_definitions_of_a_name_is_followed() {
    for case in &CASES {
        let Namesakes {
            first,
            second,
            third,
            ..
        } = *case;
        let edited = &*first.replace(case.edit[0], case.edit[1]);
        let gutted = &*second.replace(case.gut[0], case.gut[1]);
        let renamed = &*second.replace(case.rename[0], case.rename[1]);
        assert!(
            edited != first && gutted != second && renamed != second,
            "{}",
            case.file
        );
        case.check(&[first, second], "fresh @#2");
        case.check(&[edited, second], "fresh @#2");
        case.check(&[first, gutted], "edited @#2");
        case.check(&[edited, gutted], "edited @#2");
        case.check(&[third, first, second], "fresh @#3");
        case.check(&[first, third, second], "fresh @#3");
        case.check(&[first, second, third], "fresh @#2");
        case.check(&[third, first, gutted], "edited @#3");
        case.check(&[second, first], "fresh @#1");
        case.check(&[gutted, first], "edited @#1");
        case.check(&[first], "gone");
        case.check(&[second], "fresh @");
        case.check(&[], "gone");
        case.check(
            &[first, renamed],
            &format!("renamed {}::{}", case.file, case.rename[2]),
        );
        case.check(
            &[renamed, first],
            &format!("renamed {}::{}", case.file, case.rename[2]),
        );
    }
}
