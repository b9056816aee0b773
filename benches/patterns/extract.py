"""Extracts GOOD/BAD pairs from the rule documents of fetched repositories, as JSON lines.

usage: extract.py MIRROR_DIR > pairs.jsonl

A pair is the code labelled bad and the code labelled good below one rule: the nearest heading and the text
between it and the code. The labels are those that people write above blocks and in comments.
"""
import json,re,subprocess,sys,os,hashlib
DOC=re.compile(r'(^|/)(AGENTS|CLAUDE|GEMINI|CONTRIBUTING|README|SKILL|copilot-instructions)\.md$|\.cursorrules$|\.mdc$|\.instructions\.md$|\.cursor/|\.claude/|\.agents?/|\.roo/|(^|/)(rules|skills|guides?|agents|sections)/.*\.md$|(style|guideline|convention|best-practice|coding|patterns?)[^/]*\.md$',re.I)
LANG={'ts':'ts','typescript':'ts','tsx':'tsx','js':'js','javascript':'js','jsx':'js','python':'py','py':'py','go':'go','golang':'go','rust':'rs','rs':'rs','java':'java'}
BADW=r'(bad|wrong|incorrect|anti-?patterns?|avoid|don\'?t|never|not recommended)'
GOODW=r'(good|correct|right|better|preferred|recommended|do|prefer|best)'
def label(t):
    t=t.strip().lstrip('*_#->/ ').strip().replace('’',"'")
    if re.match(r'[❌🚫✗✖⛔👎]',t): return 'bad'
    if re.match(r'[✅✓✔👍]',t): return 'good'
    m=re.match(r'(?i)%s\b(?P<r>.*)'%BADW,t)
    if m and (len(t.split())<=14): return 'bad' if re.match(r'\W|$',m.group('r')) else None
    m=re.match(r'(?i)%s\b(?P<r>.*)'%GOODW,t)
    if m and re.match(r'\s*([:(!—–-]|\*|$)|\s+(example|practice|pattern|way|approach)',m.group('r')): return 'good'
    return None
def comment(l):
    m=re.match(r'\s*(?://+|#+|/\*+|\{/\*)\s*(.*)',l)
    return m.group(1) if m else None
def parts(code,above):
    out=[];cur=[above,[]]
    for l in code.split('\n'):
        c=comment(l)
        lb=None
        if c:
            first=re.match(r"[\w'’-]+",c)
            strong=re.match(r'[❌🚫✗✖⛔👎✅✓✔👍]',c) or (first and (re.match(r'\s*([:!(—–.,-]|$)',c[first.end():]) or (first.group(0).isupper() and len(first.group(0))>1)))
            lb=label(c) if strong else None
        if lb:
            out.append(cur); cur=[lb,[]]
        else: cur[1].append(l)
    out.append(cur)
    return [(a,'\n'.join(b).strip('\n')) for a,b in out if a and '\n'.join(b).strip()]
def docpairs(t):
    head='';text=[];goods=[];bads=[];lines=t.split('\n');i=0;start=0;last=''
    res=[]
    def flush():
        nonlocal goods,bads
        if goods and bads:
            langs={l for l,_ in bads}&{l for l,_ in goods}
            for l in sorted(langs):
                b=[c for x,c in bads if x==l]; g=[c for x,c in goods if x==l]
                res.append((start,head,' '.join(text).strip(),l,b,g))
        goods=[];bads=[]
    while i<len(lines):
        l=lines[i]
        m=re.match(r'^\s*(`{3,}|~{3,})\s*([\w+-]*)',l)
        if m:
            j=i+1
            while j<len(lines) and not lines[j].strip().startswith(m.group(1)): j+=1
            code='\n'.join(lines[i+1:j]); lang=LANG.get(m.group(2).lower())
            if lang:
                for lb,c in parts(code,label(last) if last else None):
                    (goods if lb=='good' else bads).append((lang,c))
            last='';i=j+1;continue
        if re.match(r'^#{1,6} ',l):
            if label(l.lstrip('# ')) is None or not (goods or bads or re.match(r'(?i)^#+\s*\W*(good|bad|correct|incorrect|wrong|do|don.?t)\W*$',l)):
                flush(); head=l.lstrip('# ').strip(); text=[]; start=i+1
            last=l
        elif l.strip():
            lb=label(l)
            if not lb: 
                if bads and goods and re.match(r'^\s*([-*]|\d+\.|\*\*)\s*',l): flush(); text=[]; start=i+1
                if len(text)<8: text.append(l.strip())
            last=l
        i+=1
    flush()
    return res
def sh(*a): return subprocess.run(a,capture_output=True,text=True,errors='replace').stdout
seen=set()
root=sys.argv[1]
for repo in sorted(os.listdir(root)):
    git=f'{root}/{repo}/repo'
    if not os.path.isdir(git): continue
    commit=sh('git','-C',git,'rev-parse','HEAD').strip()[:12]
    names=[n for n in sh('git','-C',git,'ls-tree','-r','--name-only','HEAD').splitlines() if n.endswith(('.md','.mdc','.cursorrules')) and DOC.search(n) and not re.search(r'node_modules|CHANGELOG|\.(chinese|basque|french|japanese|korean|polish|russian|brazilian-portuguese|indonesian|turkish)',n)]
    for n in names:
        t=sh('git','-C',git,'show',f'HEAD:{n}')
        for line,head,text,lang,b,g in docpairs(t):
            h=hashlib.sha1(json.dumps([b,g]).encode()).hexdigest()[:10]
            if h in seen: continue
            seen.add(h)
            print(json.dumps({'id':h,'repo':repo.replace('+','/',1),'commit':commit,'file':n,'line':line+1,'heading':head,'text':text,'language':lang,'bad':b,'good':g},ensure_ascii=False))
