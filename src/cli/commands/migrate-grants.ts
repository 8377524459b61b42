import { checkedName } from "../options/common-options.js";
import { flag } from "../options/shared-options.js";
import { sqlSection, success } from "./reports.js";
import { Option } from "commander";
import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import type { OfflineContext, Report } from "../command-definition.js";
import { parseOptional } from "./migrate-optional.js";

const DEFAULT_ROLES = { readWrite: "checkpoint_writer", readOnly: "checkpoint_reader" };
// In GRANT, these names never mean a role, even if they are quoted.
const RESERVED_ROLES = ["public", "none"];

const grantFlags = z.object({
  printGrants: flag,
  readWrite: z.string().optional(),
  readOnly: z.string().optional(),
});

/** The options of `migrate --print-grants`. */
export function grantOptions(): Option[] {
  return [
    new Option(
      "--print-grants",
      "print the SQL that grants a read-write role and a read-only role their privileges; needs no database",
    ).conflicts(["plan", "check"]),
    new Option(
      "--read-write <role>",
      `the read-write role of --print-grants (default: ${DEFAULT_ROLES.readWrite})`,
    ),
    new Option(
      "--read-only <role>",
      `the read-only role of --print-grants (default: ${DEFAULT_ROLES.readOnly})`,
    ),
  ];
}

/** The privileges of two roles on the tables of one schema, as they are printed. */
interface PrintedGrants {
  /** The schema that holds the tables. */
  readonly schema: string;
  /** The role of services that run graphs. */
  readonly readWrite: RoleGrants;
  /** The role of people and programs that only read threads. */
  readonly readOnly: RoleGrants;
}

/** The privileges of one role. */
interface RoleGrants {
  readonly role: string;
  /** In order, without final semicolons. */
  readonly statements: readonly string[];
}

/**
 * Prints the grants, if the flags ask for them. Needs no database.
 *
 * @returns `undefined` if the flags don't ask for grants.
 * @throws InvalidConfigError naming the option, if its role is invalid, or if it is given without `--print-grants`.
 */
export async function reportGrants({ schema }: OfflineContext, flags: unknown): Promise<Report | undefined> {
  const { printGrants, readWrite, readOnly } = grantFlags.parse(flags);
  if (!printGrants) {
    requireAbsent("--read-write", readWrite);
    requireAbsent("--read-only", readOnly);
    return undefined;
  }
  const roles = {
    readWrite: checkedRole("--read-write", readWrite ?? DEFAULT_ROLES.readWrite),
    readOnly: checkedRole("--read-only", readOnly ?? DEFAULT_ROLES.readOnly),
  };
  const { grantStatements } = await import("../../migrations/grant-statements.js");
  const { with: optional, checkpointTable } = parseOptional(flags).tables;
  const statements = grantStatements(schema, roles, optional, checkpointTable);
  const json: PrintedGrants = {
    schema,
    readWrite: { role: roles.readWrite, statements: statements.readWrite },
    readOnly: { role: roles.readOnly, statements: statements.readOnly },
  };
  return success(formatGrants(json), json);
}

function requireAbsent(option: string, role: string | undefined): void {
  if (role !== undefined) throw new InvalidConfigError(option, "requires --print-grants");
}

function checkedRole(option: string, role: string): string {
  if (RESERVED_ROLES.includes(role)) throw new InvalidConfigError(option, `"${role}" can't be a role name`);
  return checkedName(option, role);
}

/** Grants can't take this privilege away, so the SQL only mentions it. */
const NOTE_ON_PUBLIC =
  "-- In a database created before PostgreSQL 15, every role may create tables in schema public.\n" +
  "-- To revoke that from all roles: revoke create on schema public from public;";

/**
 * Formats grants as SQL that `psql` or any other client can run: one transaction, so that a missing role rolls back all grants.
 */
function formatGrants({ schema, readWrite, readOnly }: PrintedGrants): string {
  return [
    `${header(schema)}\nbegin;`,
    sqlSection(`Read-write role: ${JSON.stringify(readWrite.role)}`, readWrite.statements),
    sqlSection(`Read-only role: ${JSON.stringify(readOnly.role)}`, readOnly.statements),
    "commit;",
  ].join("\n\n");
}

// Names are quoted as JSON, so that a line break in a name does not end the comment.
function header(schema: string): string {
  const lines = [
    `-- Grants on the tables in schema ${JSON.stringify(schema)}.`,
    "-- The tables and the roles must exist. Run this as the owner of the tables.",
  ];
  if (schema === "public") lines.push(NOTE_ON_PUBLIC);
  return lines.join("\n");
}
