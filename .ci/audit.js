import { text } from "node:stream/consumers";
import { judgeAudit } from "./judge-audit.ts";

// Judges what `npm audit --json` printed, which it reads: node .ci/audit.js <what was audited> <least severity that fails>.
const [what = "", minimumSeverity = ""] = process.argv.slice(2);
const { passed, lines } = judgeAudit(await text(process.stdin), what, minimumSeverity);
console.log(lines.join("\n"));
process.exitCode = passed ? 0 : 1;
