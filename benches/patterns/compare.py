"""Compares the hits of exported patterns with those of the real ast-grep. usage: CERBERUS AST_GREP REPO_DIR"""
import json,subprocess,sys,os
cer,ag,repo=sys.argv[1:4]
os.environ.setdefault('XDG_STATE_HOME','/tmp/compare-state')
run=lambda *a: subprocess.run(a,cwd=repo,capture_output=True,text=True)
rep=json.loads(run(cer,'--json','memory','report').stdout)
ids=[m['id'] for m in rep['memories'] if (m.get('pattern') or {}).get('pattern')]
ours=json.loads(run(cer,'memory','review-diff','--all','--json').stdout)['findings']
same=diff=0
for i in ids:
    text=run(cer,'memory','pattern',i,'--format','ast-grep').stdout
    f='/tmp/compare-rule.yml'; open(f,'w').write(text)
    r=run(ag,'scan','--rule',f,'--json=stream')
    if r.returncode not in (0,1): print(i,r.stderr[:300])
    theirs={(json.loads(l)['file'],json.loads(l)['range']['start']['line']+1) for l in r.stdout.splitlines()}
    mine={(h['file'],h['line']) for h in ours if h['id']==i}
    same+=len(mine&theirs); diff+=len(mine^theirs)
    print(i,len(mine),len(theirs),'only ours',list(mine-theirs)[:3],'only theirs',list(theirs-mine)[:3])
print('equal',same,'different',diff)
