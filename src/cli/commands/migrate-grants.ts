import { Option } from "commander";
import { z } from "zod";
import { MAX_NAME_BYTES } from "../../db/max-name-bytes.js";
import { InvalidConfigError } from "../../errors/index.js";
import type { OfflineContext, Report } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { formatGrants, type PrintedGrants } from "../format-grants.js";

const DEFAULT_ROLES = { readWrite: "checkpoint_writer", readOnly: "checkpoint_reader" };
// To GRANT these are everybody and nobody, quoted too, and so never the name of a role.
const NO_ROLES = ["public", "none"];

const given = z.object({
  printGrants: z.boolean().default(false),
  readWrite: z.string().optional(),
  readOnly: z.string().optional(),
});

/** The options of `migrate --print-grants`. */
export function grantOptions(): Option[] {
  return [
    new Option(
      "--print-grants",
      "print the SQL that grants a read-write and a read-only role what they need; needs no database",
    ).conflicts(["plan", "check"]),
    new Option("--read-write <role>", `with --print-grants (default: ${DEFAULT_ROLES.readWrite})`),
    new Option("--read-only <role>", `with --print-grants (default: ${DEFAULT_ROLES.readOnly})`),
  ];
}

/**
 * Prints the grants, where `flags` ask for them. Needs no database.
 *
 * @returns `undefined` where something else was asked for.
 * @throws InvalidConfigError naming the option whose role is none, or that is given without `--print-grants`.
 */
export async function reportGrants({ schema }: OfflineContext, flags: unknown): Promise<Report | undefined> {
  const { printGrants, readWrite, readOnly } = given.parse(flags);
  if (!printGrants) {
    refuseGiven("--read-write", readWrite);
    refuseGiven("--read-only", readOnly);
    return undefined;
  }
  const roles = {
    readWrite: checkedRole("--read-write", readWrite ?? DEFAULT_ROLES.readWrite),
    readOnly: checkedRole("--read-only", readOnly ?? DEFAULT_ROLES.readOnly),
  };
  const { grantStatements } = await import("../../migrations/grant-statements.js");
  const statements = grantStatements(schema, roles);
  const json: PrintedGrants = {
    schema,
    readWrite: { role: roles.readWrite, statements: statements.readWrite },
    readOnly: { role: roles.readOnly, statements: statements.readOnly },
  };
  return { exitCode: EXIT_CODE.ok, text: formatGrants(json), json };
}

function refuseGiven(option: string, role: string | undefined): void {
  if (role !== undefined) throw new InvalidConfigError(option, "goes with --print-grants only");
}

function checkedRole(option: string, role: string): string {
  if (role === "") throw new InvalidConfigError(option, "must not be empty");
  if (NO_ROLES.includes(role)) throw new InvalidConfigError(option, `"${role}" can't be the name of a role`);
  if (Buffer.byteLength(role) <= MAX_NAME_BYTES) return role;
  throw new InvalidConfigError(option, `must not be longer than ${MAX_NAME_BYTES} bytes`);
}
