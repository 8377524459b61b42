import { randomBytes } from "node:crypto";
import type { TestDatabase } from "./targets.js";

/** A role of a service, which reads and writes rows and owns nothing. */
export interface ServiceRole {
  readonly name: string;
  /** The connection string of the database for this role. */
  readonly url: string;
  /** Drops the role. */
  readonly drop: () => Promise<void>;
}

/** Creates a role that may use the tables that are in the schema `public` now. */
export async function createServiceRole(database: TestDatabase<string>): Promise<ServiceRole> {
  const name = `service_${randomBytes(8).toString("hex")}`;
  await database.exec(`
    create role ${name} login password 'secret';
    grant usage on schema public to ${name};
    grant select, insert, update, delete on all tables in schema public to ${name}`);
  const url = new URL(database.source);
  Object.assign(url, { username: name, password: "secret" });
  return { name, url: url.href, drop: () => database.exec(`drop owned by ${name}; drop role ${name}`) };
}
