import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { type Judgement, judgeAudit } from "../../.ci/judge-audit.js";
import { audited, refused, UNREACHABLE, vulnerable, vulnerableThrough } from "./audit-reports.js";
import { ROOT } from "./consumer-project.js";

function audit(report: object | string, minimumSeverity: string): Judgement {
  const printed = typeof report === "string" ? report : JSON.stringify(report);
  return judgeAudit(printed, "the packages", minimumSeverity);
}

describe("the audit of the gate", () => {
  it("passes without vulnerabilities", () => {
    expect(audit(audited({}), "low")).toEqual({
      passed: true,
      lines: ["the packages: 0 vulnerable packages of severity low or above, 0 below"],
    });
  });

  it("fails for vulnerabilities, and prints package and advisory", () => {
    const report = audited({
      msgpackr: vulnerable("msgpackr", "high"),
      jest: vulnerable("jest", "moderate"),
      "@scope/user": vulnerableThrough("@scope/user", "msgpackr", "high"),
    });
    expect(audit(report, "high")).toEqual({
      passed: false,
      lines: [
        "the packages: 2 vulnerable packages of severity high or above, 1 below",
        "  high: msgpackr <3: Slow reading (https://github.com/advisories/GHSA-aaaa-bbbb-cccc)",
        "  high: @scope/user through msgpackr",
      ],
    });
  });

  it.each([
    ["info", "low", true],
    ["low", "low", false],
    ["critical", "low", false],
    ["moderate", "high", true],
    ["high", "high", false],
    ["critical", "high", false],
    ["unknown", "high", false],
  ])("compares the severity %s with the minimum %s, and passes: %s", (severity, minimum, passed) => {
    expect(audit(audited({ tool: vulnerable("tool", severity) }), minimum).passed).toBe(passed);
  });

  it.each([404, 405, 501])(
    "passes with a clear notice if the registry has no audit endpoint: %i",
    (status) => {
      const notice = `NOT AUDITED, the packages: this registry has no audit endpoint, it answers ${status}. Audit against another registry.`;
      expect(audit(refused(status), "low")).toEqual({ passed: true, lines: [notice] });
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
    expect(audit(printed, "low")).toEqual({
      passed: false,
      lines: [expect.stringMatching(/^the packages: npm audit failed: ./)],
    });
  });

  it("fails for an unknown minimum severity", () => {
    expect(() => audit(audited({}), "hihg")).toThrow("the least severity must be one of info, low");
  });

  // The gate runs it with the newest Node.js. Older ones can't load TypeScript.
  const loadsTypeScript = "typescript" in process.features && process.features.typescript !== false;
  const itWithTypeScript = loadsTypeScript ? it : it.skip;

  itWithTypeScript(
    "prints the judgement of what it reads, and exits with 1 if the audit does not pass",
    () => {
      const input = JSON.stringify(audited({ tool: vulnerable("tool", "low") }));
      const args = [join(ROOT, ".ci", "audit.js"), "the packages"];
      const run = (severity: string) =>
        spawnSync(process.execPath, [...args, severity], { input, encoding: "utf8" });
      expect(run("low")).toMatchObject({
        status: 1,
        stdout: expect.stringMatching(/^the packages: 1 vulnerable packages .*\n {2}low: tool .*\n$/),
      });
      expect(run("high")).toMatchObject({ status: 0, stdout: expect.stringContaining("1 below\n") });
    },
  );
});
