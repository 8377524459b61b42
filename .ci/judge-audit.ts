import { z } from "zod";

const Advisory = z.object({ range: z.string(), title: z.string(), url: z.string() });
const Vulnerability = z.object({
  name: z.string(),
  severity: z.string(),
  // A package is vulnerable by itself, or through another one, of which this has the name.
  via: z.array(z.union([z.string(), Advisory])),
});
const Audit = z.object({
  auditReportVersion: z.literal(2),
  vulnerabilities: z.record(z.string(), Vulnerability),
});

const AUDIT_PATH = "/-/npm/v1/security/";
// Not found, method not allowed, not implemented: whoever answers so will never do it. Any other failure may be a passing one.
const NO_ENDPOINT = z.object({
  method: z.literal("POST"),
  uri: z.string().includes(AUDIT_PATH),
  statusCode: z.literal([404, 405, 501]),
});
const Failure = z.object({ message: z.string() });

const SEVERITIES = ["info", "low", "moderate", "high", "critical"];

/** Whether an audit passes, and what the gate prints about it. */
export interface Judgement {
  readonly passed: boolean;
  readonly lines: readonly string[];
}

/**
 * Judges what `npm audit --json` printed. The exit code of npm is 1 where something is vulnerable and where the registry gave no answer;
 * only its report tells which it was.
 *
 * @param printed - The standard output of npm.
 * @param what - The name of what was audited.
 * @param minimumSeverity - The least severity that fails.
 * @throws Error for an unknown severity.
 *
 * @example
 * ```ts
 * const { passed, lines } = judgeAudit(printed, "what ships", "high");
 * ```
 */
export function judgeAudit(printed: string, what: string, minimumSeverity: string): Judgement {
  if (!SEVERITIES.includes(minimumSeverity)) {
    throw new Error(`the least severity must be one of ${SEVERITIES.join(", ")}`);
  }
  const report = parse(printed);
  const audit = Audit.safeParse(report);
  if (audit.success) return judge(Object.values(audit.data.vulnerabilities), what, minimumSeverity);
  const refusal = NO_ENDPOINT.safeParse(report);
  if (refusal.success) {
    const answer = `this registry has no audit endpoint, it answers ${refusal.data.statusCode}`;
    return { passed: true, lines: [`NOT AUDITED, ${what}: ${answer}. Audit against another registry.`] };
  }
  const message = Failure.safeParse(report).data?.message ?? "it printed no report";
  return { passed: false, lines: [`${what}: npm audit failed: ${message}`] };
}

// A severity that is not known counts as the worst.
function judge(
  vulnerabilities: readonly z.infer<typeof Vulnerability>[],
  what: string,
  minimumSeverity: string,
): Judgement {
  const tolerated = SEVERITIES.slice(0, SEVERITIES.indexOf(minimumSeverity));
  const severe = vulnerabilities.filter(({ severity }) => !tolerated.includes(severity));
  const others = vulnerabilities.length - severe.length;
  const sum = `${what}: ${severe.length} vulnerable packages of severity ${minimumSeverity} or above, ${others} below`;
  return { passed: severe.length === 0, lines: [sum, ...severe.map(describe)] };
}

function describe({ name, severity, via }: z.infer<typeof Vulnerability>): string {
  const reasons = via.map((reason) =>
    typeof reason === "string" ? `through ${reason}` : `${reason.range}: ${reason.title} (${reason.url})`,
  );
  return `  ${severity}: ${name} ${reasons.join("; ")}`;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
