import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { audited, refused, UNREACHABLE, vulnerable, vulnerableThrough } from "./audit-reports.js";
import { ROOT } from "./consumer-project.js";

const AUDIT = join(ROOT, ".ci", "audit.js");

/** Has the gate judge what npm printed. */
function judge(printed: object | string, least: string): { code: number | null; output: string } {
  const input = typeof printed === "string" ? printed : JSON.stringify(printed);
  const { status, stdout } = spawnSync(process.execPath, [AUDIT, "the packages", least], {
    input,
    encoding: "utf8",
  });
  return { code: status, output: stdout };
}

describe("the audit of the gate", () => {
  it("passes where nothing is vulnerable", () => {
    expect(judge(audited({}), "low")).toEqual({
      code: 0,
      output: "the packages: 0 vulnerable packages of severity low or above, 0 below\n",
    });
  });

  it("fails where something is, and tells what and why", () => {
    const report = audited({
      msgpackr: vulnerable("msgpackr", "high"),
      jest: vulnerable("jest", "moderate"),
      "@scope/user": vulnerableThrough("@scope/user", "msgpackr", "high"),
    });
    expect(judge(report, "high")).toEqual({
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
    ["of a kind that npm has yet to invent", "high", 1],
  ])(
    "takes severity %s, where %s is the least that fails, for an exit code of %i",
    (severity, least, code) => {
      expect(judge(audited({ tool: vulnerable("tool", severity) }), least).code).toBe(code);
    },
  );

  it.each([404, 405, 501])(
    "says plainly that a registry without the endpoint audits nothing: %i",
    (status) => {
      const { code, output } = judge(refused(status), "low");
      expect(code).toBe(0);
      expect(output).toMatch(
        /^NOT AUDITED, the packages: this registry has no audit endpoint, it answers \d+\./,
      );
      expect(output).toContain(String(status));
    },
  );

  it.each([
    ["a registry that is down", refused(503)],
    ["a registry that wants a password", refused(401)],
    ["another page that is missing", refused(404, "https://registry.example/zod")],
    ["a registry out of reach", UNREACHABLE],
    ["a report of another version", { ...audited({}), auditReportVersion: 3 }],
    ["a report without vulnerabilities", { auditReportVersion: 2 }],
    ["an empty report", {}],
    ["nothing", ""],
    ["null", "null"],
    ["what is no JSON", "audit endpoint returned an error"],
  ])("fails where it was not told anything: %s", (_what, printed) => {
    const { code, output } = judge(printed, "low");
    expect(code).toBe(1);
    expect(output).toMatch(/^the packages: npm audit failed: ./);
  });

  it("fails where it does not know the severity that it is to fail from", () => {
    expect(judge(audited({}), "hihg").code).toBe(1);
  });
});
