import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { audited, refused, UNREACHABLE, vulnerable, vulnerableThrough } from "./audit-reports.js";
import { ROOT } from "./consumer-project.js";

const AUDIT = join(ROOT, ".ci", "audit.js");

/** Runs the audit of the gate on output of npm. */
function audit(report: object | string, minimumSeverity: string): { code: number | null; output: string } {
  const input = typeof report === "string" ? report : JSON.stringify(report);
  const { status, stdout } = spawnSync(process.execPath, [AUDIT, "the packages", minimumSeverity], {
    input,
    encoding: "utf8",
  });
  return { code: status, output: stdout };
}

describe("the audit of the gate", () => {
  it("passes without vulnerabilities", () => {
    expect(audit(audited({}), "low")).toEqual({
      code: 0,
      output: "the packages: 0 vulnerable packages of severity low or above, 0 below\n",
    });
  });

  it("fails for vulnerabilities, and prints package and advisory", () => {
    const report = audited({
      msgpackr: vulnerable("msgpackr", "high"),
      jest: vulnerable("jest", "moderate"),
      "@scope/user": vulnerableThrough("@scope/user", "msgpackr", "high"),
    });
    expect(audit(report, "high")).toEqual({
      code: 1,
      output: [
        "the packages: 2 vulnerable packages of severity high or above, 1 below\n",
        "  high: msgpackr <3: Slow reading (https://github.com/advisories/GHSA-aaaa-bbbb-cccc)\n",
        "  high: @scope/user through msgpackr\n",
      ].join(""),
    });
  });

  it.each([
    ["info", "low", 0],
    ["low", "low", 1],
    ["critical", "low", 1],
    ["moderate", "high", 0],
    ["high", "high", 1],
    ["critical", "high", 1],
    ["unknown", "high", 1],
  ])("compares the severity %s with the minimum %s, and exits with %i", (severity, minimum, code) => {
    expect(audit(audited({ tool: vulnerable("tool", severity) }), minimum).code).toBe(code);
  });

  it.each([404, 405, 501])(
    "passes with a clear notice if the registry has no audit endpoint: %i",
    (status) => {
      const { code, output } = audit(refused(status), "low");
      expect(code).toBe(0);
      expect(output).toMatch(
        /^NOT AUDITED, the packages: this registry has no audit endpoint, it answers \d+\./,
      );
      expect(output).toContain(String(status));
    },
  );

  it.each([
    ["a registry that is down", refused(503)],
    ["a registry that requires a password", refused(401)],
    ["another missing page", refused(404, "https://registry.example/zod")],
    ["an unreachable registry", UNREACHABLE],
    ["a report of another version", { ...audited({}), auditReportVersion: 3 }],
    ["a report without vulnerabilities", { auditReportVersion: 2 }],
    ["an empty report", {}],
    ["no output", ""],
    ["null", "null"],
    ["output that is not JSON", "audit endpoint returned an error"],
  ])("fails without a valid report: %s", (_case, printed) => {
    const { code, output } = audit(printed, "low");
    expect(code).toBe(1);
    expect(output).toMatch(/^the packages: npm audit failed: ./);
  });

  it("fails for an unknown minimum severity", () => {
    expect(audit(audited({}), "hihg").code).toBe(1);
  });
});
