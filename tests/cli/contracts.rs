//! The shape of each JSON document: the names and types of all keys, which scripts, CI and
//! agents rely on. Keys may be added; removing or retyping one breaks the contract.

use expect_test::{Expect, expect};
use serde_json::{Map, Value};

use crate::sandbox::{Sandbox, transcript};

/// Returns a document with every leaf replaced by its type. The members of a list are merged
/// into one.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) => "bool".into(),
        Value::Number(_) => "number".into(),
        Value::String(_) => "string".into(),
        Value::Array(members) => Value::Array(
            members
                .iter()
                .map(shape)
                .reduce(merged)
                .into_iter()
                .collect(),
        ),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), shape(value)))
            .collect::<Map<_, _>>()
            .into(),
    }
}

fn merged(a: Value, b: Value) -> Value {
    match (a, b) {
        (a, b) if a == b => a,
        (Value::Object(mut a), Value::Object(b)) => {
            for (key, value) in b {
                let both = match a.remove(&key) {
                    Some(other) => merged(other, value),
                    None => value,
                };
                a.insert(key, both);
            }
            a.into()
        }
        (Value::Array(a), Value::Array(b)) => {
            Value::Array(a.into_iter().chain(b).reduce(merged).into_iter().collect())
        }
        (Value::String(a), Value::String(b)) if a.split(" or ").any(|it| it == b) => a.into(),
        (Value::String(a), Value::String(b)) => format!("{a} or {b}").into(),
        (Value::String(other), it) | (it, Value::String(other)) => {
            if other == "null" {
                it
            } else {
                format!("{other} or {it}").into()
            }
        }
        (a, _) => a,
    }
}

/// Runs the command lines of a transcript and compares the shapes of their documents, one key
/// per line. `$ cerberus x` runs `cerberus x --json`.
fn shapes(sandbox: &Sandbox, expected: Expect) {
    let mut printed = String::new();
    for line in transcript(&expected) {
        printed += &format!("$ cerberus {line}\n");
        let document = match line.split_once(" --format ") {
            Some(_) => serde_json::from_str(&sandbox.run(&line).stdout()).expect("JSON"),
            None => sandbox.json(&line),
        };
        for (key, value) in shape(&document).as_object().expect("an object") {
            printed += &format!("{key}: {value}\n").replace('"', "");
        }
    }
    expected.assert_eq(&printed);
}

#[test]
fn json_of_anchor_test_index_and_demo() {
    let sandbox = Sandbox::shop();
    shapes(
        &sandbox,
        expect![[r#"
            $ cerberus memory anchor-test "hash the password" --hint scrypt --kind code
            anchor: {endLine:number,file:string,kind:string,language:string,match:number,matchedTerms:[string],quality:number,rank:number,size:number,startLine:number,symbol:string}
            candidates: [{endLine:number,file:string,kind:string,language:string,match:number,matchedTerms:[string],quality:number,rank:number,size:number,startLine:number,symbol:string}]
            confidence: string
            elapsedMs: number
            hints: [string]
            kind: string
            minQuality: number
            rule: string
            unknownWords: []
            $ cerberus index
            bytes: number
            changed: number
            elapsedMs: number
            files: number
            lacking: {}
            languages: {go:number,python:number,typescript:number}
            parsed: number
            removed: number
            root: string
            store: string
            warnings: []
            $ cerberus demo
            elapsedMs: number
            ok: bool
            steps: [{command:string,explanation:string,ok:bool,shows:string}]
        "#]],
    );
    let without = sandbox.json("memory anchor-test qqqq");
    assert_eq!(
        (&without["anchor"], &without["candidates"]),
        (&Value::Null, &serde_json::json!([]))
    );
    sandbox.write("rules.txt", "hash the password\nescape html\n");
    let lines = sandbox.ok("memory anchor-test --rules rules.txt --json");
    let documents = lines
        .lines()
        .map(|line| shape(&serde_json::from_str(line).expect("a line")));
    let documents: Vec<Value> = documents.collect();
    assert_eq!(documents.len(), 2, "a document a line");
    assert_eq!(documents[0]["candidates"], documents[1]["candidates"]);
}

#[test]
fn json_of_short_memories() {
    let sandbox = Sandbox::anchored();
    sandbox.memory(
        "odd",
        "# Title\n<!-- ANCHOR:a -->\nText.\n<!-- /ANCHOR:a -->\n<!-- ANCHOR:b -->\n",
    );
    shapes(
        &sandbox,
        expect![[r#"
            $ cerberus memory init
            bank: string
            commit: [string]
            created: []
            ruleFiles: []
            $ cerberus memory add "Ship" --id ship --anchor-to shop/orders.py::ship
            anchor: {chosen:string,file:string,match:number,quality:number,symbol:string}
            file: string
            id: string
            warnings: []
            $ cerberus memory review ship --list
            items: [{anchor:{chosen:string,file:string,match:number,quality:number,symbol:string},candidates:[{endLine:number,excerpt:string,file:string,isAnchored:bool,kind:string,language:string,matchedTerms:[string],quality:number,rank:number,shownLines:[[number]],startLine:number,symbol:string}],confidence:string,explanation:string,file:string,hints:[],id:string,kind:string,kindReasons:[],reason:string,rule:string,unknownHints:[]}]
            proposals: []
            rules: {anchored:number,noExample:number,process:number,total:number,waiting:number}
            skippedProcess: number
            total: number
            warnings: []
            $ cerberus memory anchor close-session --candidates 1
            anchor: null
            candidates: [{endLine:number,excerpt:string,file:string,kind:string,language:string,match:number,matchedTerms:[string],quality:number,rank:number,reasons:[{fields:[string],gain:number,idf:number,word:string}],shownLines:[[number]],size:number,startLine:number,symbol:string}]
            confidence: string
            example: null
            hints: []
            id: string
            kind: string
            minQuality: number
            previous: {chosen:string,file:string,match:number,quality:number,symbol:string}
            rule: string
            unknownWords: []
            warnings: []
            written: bool
            $ cerberus memory show ship
            memories: [{anchor:{chosen:string,code:string,endLine:number,file:string,kind:string,language:string,match:number,quality:number,shownLines:[[number]],startLine:number,state:string,symbol:string},category:null,createdAt:string,example:null,file:string,heading:null,hints:[],id:string,kind:null,paths:[],pattern:{enforcement:string,reason:string},scope:string,status:string,tags:[],text:string,type:string,updatedAt:null}]
            warnings: []
            $ cerberus memory search title --section a,aa --content
            didYouMean: []
            query: string
            results: [{content:string,file:string,id:string,missing:[{id:string,nearest:string}],recency:number,score:number,sections:[{endLine:number,id:string,startLine:number}],signals:[{contribution:number,rank:number,signal:string}],tokenMetrics:{actualTokens:number,fullFileTokens:number,savingsPercent:number,tokenizer:string},why:[string]}]
            skipped: number
            warnings: [string]
            $ cerberus memory sections odd
            diagnostics: [{code:string,column:number,hint:string,line:number,message:string}]
            file: string
            fullFileTokens: number
            id: string
            sections: [{endLine:number,id:string,origin:string,startLine:number,tokens:number}]
            tokenizer: string
            warnings: []
            $ cerberus memory stats --show-anchors
            anchored: number
            anchoredPercent: number
            anchors: [{file:string,id:string,quality:number,state:string,symbol:string}]
            anchorsByState: {fresh:number}
            brokenLinks: number
            byScope: {project:number,project:shop:number}
            byStatus: {active:number}
            byType: {fact:number,rule:number}
            links: number
            memories: number
            noExample: number
            rules: {anchored:number,noExample:number,process:number,total:number,waiting:number}
            warnings: []
            $ cerberus memory delete odd
            moved: [{anchored:bool,file:string,id:string,name:string}]
            warnings: []
            $ cerberus memory restore odd
            moved: [{anchored:bool,file:string,id:string,name:string}]
            warnings: []
        "#]],
    );
    let without = sandbox.json("memory add \"Be kind\" --id kind --no-anchor");
    assert_eq!(without["anchor"], Value::Null);
}

#[test]
fn json_of_reanchor() {
    let sandbox = Sandbox::anchored();
    sandbox.git("mv shop/accounts.py shop/members.py");
    let html = sandbox.read("web/html.ts");
    sandbox.write("web/a.ts", &html);
    sandbox.write("web/b.ts", &html);
    sandbox.remove("web/html.ts");
    sandbox.remove("api/limit.go");
    sandbox.memory("limit-clients", "Health says that the server is alive.\n");
    shapes(
        &sandbox,
        expect![[r#"
            $ cerberus memory reanchor
            ok: bool
            orphans: []
            results: [{candidates:[{endLine:number,file:string,similarity:number,startLine:number,symbol:string}],chosen:string,drift:bool,edited:bool,id:string,memory:string,new:{endLine:number,file:string,similarity:number,startLine:number,symbol:string},next:string,old:{file:string,symbol:string},reason:string,replacement:{endLine:number,file:string,kind:string,language:string,match:number,matchedTerms:[string],quality:number,rank:number,size:number,startLine:number,symbol:string},similarity:number,state:string,written:bool}]
            summary: {ambiguous:number,anchored:number,edited:number,failed:number,fresh:number,gone:number,moved:number,reformatted:number,renamed:number,total:number}
            warnings: []
            written: bool
        "#]],
    );
}

#[test]
fn json_of_pins_inject_and_hooks() {
    let sandbox = Sandbox::anchored();
    sandbox.write("AGENTS.md", "be kind");
    shapes(
        &sandbox,
        expect![[r#"
            $ cerberus memory pin add "Be kind" --expires 2h --meta a=b --tag t
            evicted: []
            pin: {content:string,createdAt:string,expired:bool,expiresAt:string,id:string,metadata:{a:string},priority:string,projectId:null,scope:string,tags:[string],tokens:number}
            totals: {maxPins:number,maxTokens:number,pins:number,tokenizer:string,tokens:number,usage:number}
            warnings: []
            $ cerberus memory pin list
            defaults: [{content:string,id:string}]
            pins: [{content:string,createdAt:string,expired:bool,expiresAt:string,id:string,metadata:{a:string},priority:string,projectId:null,scope:string,tags:[string],tokens:number}]
            totals: {maxPins:number,maxTokens:number,pins:number,tokenizer:string,tokens:number,usage:number}
            warnings: []
            $ cerberus memory pin show
            pins: [string]
            text: string
            tokenizer: string
            tokens: number
            warnings: []
            $ cerberus memory pin clear --all
            removed: [string]
            totals: {maxPins:number,maxTokens:number,pins:number,tokenizer:string,tokens:number,usage:number}
            warnings: []
            $ cerberus memory inject --budget 400
            budget: number
            memories: [{example:{code:string,file:string,shownLines:[[number]],startLine:number,state:string,symbol:string},id:string,text:string,tokens:number}]
            omitted: {byClient:bool,examples:number,memories:number,neededTokens:number,pins:number}
            pins: [{id:string,priority:string,text:string}]
            skipped: [{id:string,what:string,why:string}]
            text: string
            tokenizer: string
            usedTokens: number
            warnings: []
            $ cerberus memory inject --into AGENTS.md --check
            budget: number
            file: string
            memories: [{example:{code:string,file:string,shownLines:[[number]],startLine:number,state:string,symbol:string},id:string,text:string,tokens:number}]
            omitted: {byClient:bool,examples:number,memories:number,neededTokens:number,pins:number}
            pins: []
            skipped: []
            stale: bool
            text: string
            tokenizer: string
            usedTokens: number
            warnings: []
            written: bool
            $ cerberus hooks print claude
            text: string
            $ cerberus setup claude
            agents: [string]
            files: [{action:string,agent:string,diff:string,edited:[],file:string}]
            written: bool
        "#]],
    );
}

#[test]
fn json_of_a_review_by_an_agent() {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory add \"Hang velvet curtains\" --id hang --no-anchor");
    shapes(
        &sandbox,
        expect![[r#"
            $ cerberus memory review --with true --dry-run
            agent: string
            dryRun: bool
            elapsedMs: number
            request: {answerSchema:{$schema:string,additionalProperties:bool,properties:{rules:{items:{additionalProperties:bool,properties:{example:{type:string},hints:{items:{type:string},type:string},id:{type:string},kind:{enum:[string],type:string},none:{type:string},pattern:{type:string}},required:[string],type:string},type:string}},required:[string],title:string,type:string},instructions:string,rules:[{heading:null,hints:[],id:string,rule:string}],task:string,version:number}
            rules: [{id:string,outcome:string}]
            tokens: {estimated:number,received:number,sent:number}
            totals: {anchored:number,described:number,left:number,none:number,process:number,refused:number}
            warnings: []
        "#]],
    );
}

#[test]
fn every_command_prints_one_json_document() {
    let sandbox = Sandbox::anchored();
    sandbox.git("mv web/html.ts web/markup.ts");
    for line in [
        "memory reanchor --check",
        "memory reanchor",
        "memory reanchor --undo",
        "memory anchor close-session --clear",
        "memory show --unanchored",
    ] {
        let outcome = sandbox.run(&format!("{line} --json"));
        let parsed = serde_json::from_str::<Map<String, Value>>(&outcome.stdout());
        assert!(parsed.is_ok(), "{}", outcome.text());
    }
}

#[test]
fn json_of_documents() {
    let sandbox = Sandbox::anchored();
    shapes(
        &sandbox,
        expect![[r##"
            $ cerberus memory create plan --content "# Plan"
            file: string
            id: string
            warnings: []
            $ cerberus memory append plan --section plan --content more
            file: string
            id: string
            section: string
            warnings: []
            written: bool
            $ cerberus memory append plan --content more
            file: string
            id: string
            section: null
            warnings: []
            written: bool
            $ cerberus memory read plan --section plan,nothing
            category: null
            content: string
            createdAt: string
            example: null
            file: string
            heading: null
            hints: []
            id: string
            kind: null
            missing: [{id:string,nearest:null}]
            paths: []
            scope: string
            sections: [{endLine:number,id:string,startLine:number}]
            status: string
            tags: []
            tokenMetrics: {actualTokens:number,fullFileTokens:number,savingsPercent:number,tokenizer:string}
            type: string
            updatedAt: string
            warnings: [string]
            $ cerberus memory update plan --status archived
            file: string
            id: string
            section: null
            warnings: []
            written: bool
            $ cerberus memory merge plan escape-html --into all
            anchorFrom: string
            created: bool
            file: string
            id: string
            merged: [{anchored:bool,file:string,id:string,name:string}]
            redirected: []
            warnings: []
        "##]],
    );
}

#[test]
fn json_of_links() {
    let sandbox = Sandbox::bank();
    sandbox.memory(
        "a",
        "Fix [[shop/gone.py|it]]. [[supersedes::memory:b]] [[shop/orders.py]]\n",
    );
    sandbox.memory("b", "[[supersedes::memory:a]]\n");
    shapes(
        &sandbox,
        expect![[r#"
            $ cerberus memory links
            broken: number
            edges: [{context:string,file:string,label:string or null,line:number,node:string,note:string or null,relation:string,resolvedTo:null or string,source:string,sourceNode:string,state:string,target:string}]
            total: number
            warnings: [string]
            $ cerberus memory linked shop/orders.py "fix"
            memories: [{file:string,id:string,reasons:[{context:string,line:number,relation:string,target:string}],score:number,type:string}]
            query: string
            targets: [string]
            warnings: []
        "#]],
    );
}

#[test]
fn json_of_report() {
    let sandbox = Sandbox::anchored();
    sandbox.memory(
        "a",
        "# One\n\nFix [[shop/gone.py|it]]. [[supersedes::memory:a]]\n",
    );
    sandbox.ok("memory pin add \"Be kind\"");
    sandbox.git("mv shop/accounts.py shop/members.py");
    sandbox.remove("api/limit.go");
    shapes(
        &sandbox,
        expect![[r#"
            $ cerberus memory report
            commit: {changedFiles:[string],committedAt:string,id:string}
            counts: {anchored:number,anchorsByState:{fresh:number,gone:number,moved:number},brokenLinks:number,byScope:{project:number,project:shop:number},byStatus:{active:number},byType:{fact:number,rule:number},drifted:number,links:number,memories:number,noExample:number,pins:number,rules:{anchored:number,noExample:number,process:number,total:number,waiting:number}}
            defaultPins: [{content:string,id:string}]
            documents: {errors:number,findings:[],read:number,warnings:number}
            links: [{context:string,file:string,label:string or null,line:number,node:string,note:string or null,relation:string,resolvedTo:null or string,source:string,sourceNode:string,state:string,target:string}]
            memories: [{anchor:{candidates:[],chosen:string,code:{endLine:number,file:string,shownLines:[[number]],startLine:number,text:string},command:null or string,drift:bool,edited:bool,id:string,kind:string,language:string,match:number,memory:string,new:{endLine:number,file:string,similarity:number,startLine:number,symbol:string},next:string,old:{file:string,symbol:string},quality:number,reason:string,replacement:null,similarity:number,state:string,written:bool},anchorable:bool,category:null,createdAt:null or string,example:null,file:string,heading:null,hints:[],id:string,kind:null,paths:[],pattern:{enforcement:string,reason:string},scope:string,skippedLines:number,status:string,tags:[],text:string,type:string,updatedAt:null}]
            orphans: []
            pins: [{content:string,createdAt:string,expired:bool,expiresAt:null,id:string,metadata:{},priority:string,projectId:null,scope:string,tags:[],tokens:number}]
            project: string
            reach: []
            warnings: []
        "#]],
    );
}

#[test]
fn json_of_check() {
    let sandbox = Sandbox::empty();
    sandbox.write("src/b.py", "y = 2\nprint(y)\n");
    sandbox.write("AGENTS.md", "See `src/b.py` and `src/nothing.py`.\n");
    sandbox.commit("start");
    sandbox.git("mv src/b.py src/c.py");
    sandbox.commit("Rename b");
    let entry = r#"{"version": 1, "accepted": [{"file": "A.md", "check": "path", "claim": "x"}]}"#;
    sandbox.write("accepted.json", entry);
    shapes(
        &sandbox,
        expect![[r#"
            $ cerberus check --all --baseline accepted.json
            documents: [{path:string,read:string}]
            findings: [{check:string,claim:string,class:string,column:number,file:string,line:number,message:string,next:string,now:string,removed:{commit:string,date:string,subject:string},replacement:string,severity:string,written:{commit:string,date:string,subject:string}}]
            ok: bool
            outdated: [{check:string,claim:string,file:string}]
            summary: {accepted:number,claims:number,dismissed:number,documents:number,errors:number,fixable:number,ignored:number,neverTrue:number,others:number,unknown:number,warnings:number}
            unchecked: []
            warnings: []
        "#]],
    );
}

#[test]
fn an_error_is_json_if_the_answer_would_be() {
    let sandbox = Sandbox::bank();
    for (line, status) in [
        ("memory show nothing --json", 2),
        ("memory show --no-such-flag --json", 2),
    ] {
        let outcome = sandbox.run(line);
        assert_eq!(
            (outcome.status(), outcome.stdout()),
            (status, String::new())
        );
        let failure: serde_json::Value = serde_json::from_str(&outcome.stderr()).expect("JSON");
        assert!(
            failure["error"].is_string() && failure["hints"].is_array(),
            "{failure}"
        );
    }
}
