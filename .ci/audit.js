import { text } from "node:stream/consumers";

// Judges what `npm audit --json` printed, which it reads: node .ci/audit.js <what was audited> <least severity that fails>.
// npm ends with 1 where something is vulnerable and where the registry gave no answer; only its report tells which it was.
const SEVERITIES = ["info", "low", "moderate", "high", "critical"];
const REPORT_VERSION = 2;
const AUDIT_PATH = "/-/npm/v1/security/";
// Not found, method not allowed, not implemented: whoever answers so will never do it. Any other failure may be a passing one.
const NO_ENDPOINT = new Set([404, 405, 501]);

const [what = "", least = ""] = process.argv.slice(2);
if (!SEVERITIES.includes(least))
  throw new Error(`the least severity must be one of ${SEVERITIES.join(", ")}`);
const { passed, lines } = judge(parse(await text(process.stdin)));
console.log(lines.join("\n"));
process.exitCode = passed ? 0 : 1;

function judge(report) {
  if (isAudit(report)) return judgeAudit(Object.values(report.vulnerabilities));
  if (lacksEndpoint(report)) {
    const answer = `this registry has no audit endpoint, it answers ${report.statusCode}`;
    return { passed: true, lines: [`NOT AUDITED, ${what}: ${answer}. Audit against another registry.`] };
  }
  return { passed: false, lines: [`${what}: npm audit failed: ${report.message ?? "it printed no report"}`] };
}

// A severity that is not known counts as the worst.
function judgeAudit(vulnerabilities) {
  const tolerated = SEVERITIES.slice(0, SEVERITIES.indexOf(least));
  const severe = vulnerabilities.filter(({ severity }) => !tolerated.includes(severity));
  const others = vulnerabilities.length - severe.length;
  const sum = `${what}: ${severe.length} vulnerable packages of severity ${least} or above, ${others} below`;
  return { passed: severe.length === 0, lines: [sum, ...severe.map(describe)] };
}

// A package is vulnerable by itself or through another one, of which `via` has the name.
function describe({ name, severity, via }) {
  const reasons = via.map((reason) =>
    typeof reason === "string" ? `through ${reason}` : `${reason.range}: ${reason.title} (${reason.url})`,
  );
  return `  ${severity}: ${name} ${reasons.join("; ")}`;
}

function isAudit({ auditReportVersion, vulnerabilities }) {
  return (
    auditReportVersion === REPORT_VERSION && typeof vulnerabilities === "object" && vulnerabilities !== null
  );
}

function lacksEndpoint({ method, uri = "", statusCode }) {
  return method === "POST" && uri.includes(AUDIT_PATH) && NO_ENDPOINT.has(statusCode);
}

function parse(json) {
  try {
    return JSON.parse(json) ?? {};
  } catch {
    return {};
  }
}
