/** Output of `npm audit --json`, copied from npm 11 with the name of the registry replaced. */

const URI = "https://registry.example/-/npm/v1/security/advisories/bulk";

/** The report for vulnerabilities, each by the name of its package. */
export function audited(vulnerabilities: Record<string, object>): object {
  const total = Object.keys(vulnerabilities).length;
  return {
    auditReportVersion: 2,
    vulnerabilities,
    metadata: {
      vulnerabilities: { info: 0, low: total, moderate: 0, high: 0, critical: 0, total },
      dependencies: { prod: 18, dev: 797, optional: 146, peer: 0, peerOptional: 0, total: 822 },
    },
  };
}

/** A package with an advisory of its own. */
export function vulnerable(name: string, severity: string): object {
  const url = "https://github.com/advisories/GHSA-aaaa-bbbb-cccc";
  const advisory = { source: 1, name, dependency: name, title: "Slow reading", url, severity, range: "<3" };
  return vulnerability(name, severity, [
    { ...advisory, cwe: ["CWE-400"], cvss: { score: 5, vectorString: null } },
  ]);
}

/** A package that depends on a vulnerable one. */
export function vulnerableThrough(name: string, dependency: string, severity: string): object {
  return vulnerability(name, severity, [dependency]);
}

function vulnerability(name: string, severity: string, via: unknown[]): object {
  const nodes = [`node_modules/${name}`];
  return { name, severity, isDirect: true, via, effects: [], range: "*", nodes, fixAvailable: false };
}

/** The report if the registry answers with an error. */
export function refused(statusCode: number, uri = URI): object {
  return {
    message: `${statusCode} Some Status - POST ${uri}`,
    method: "POST",
    uri,
    headers: { date: ["Sat, 21 Nov 2026 20:40:59 GMT"], "content-length": ["0"], "x-fetch-attempts": ["1"] },
    statusCode,
    body: "",
    error: { summary: "", detail: "" },
  };
}

/** The report if the registry can't be reached. */
export const UNREACHABLE = {
  message: `request to ${URI} failed, reason: connect ECONNREFUSED 127.0.0.1:443`,
  error: { summary: "", detail: "" },
};
