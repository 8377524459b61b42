import { afterEach, beforeEach, expect, it } from "@jest/globals";
import {
  DiskFullError,
  PostgresSaver,
  type PostgresSaverOptions,
  ReadOnlyError,
  StatementCancelledError,
} from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { createServiceRole, type ServiceRole } from "../../test-support/service-role.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";

describeServer("what a server refuses is named with its remedy, and is not retried", (target) => {
  let database: TestDatabase<string>;
  let role: ServiceRole;
  let retries: number;
  const options: PostgresSaverOptions = { logger: { warn: () => (retries += 1) } };
  const put = async (source: string): Promise<unknown> => {
    await using saver = new PostgresSaver(source, undefined, options);
    return await putValues(saver, threadConfig("t"), { a: 1 }).catch((error: unknown) => error);
  };

  beforeEach(async () => {
    retries = 0;
    database = await target.migratedDatabase();
    role = await createServiceRole(database);
  });
  afterEach(() => role.drop());

  it("where the role is read-only, also before an archive writes a file", async () => {
    await database.exec(`alter role ${role.name} set default_transaction_read_only to on`);
    const error = await put(role.url);
    expect(error).toBeInstanceOf(ReadOnlyError);
    expect(error).toMatchObject({ code: "READ_ONLY", sqlState: "25006", transient: false });
    expect(String(error)).toContain(`alter role "${role.name}" set default_transaction_read_only to off`);
    await using saver = new PostgresSaver(role.url, undefined, options);
    const archive = memoryArchive();
    const archiving = saver.archive({ strategy: "delete", threads: ["t"], to: archive });
    await expect(archiving).rejects.toMatchObject({ code: "READ_ONLY" });
    expect(archive.files.size).toBe(0);
    expect(retries).toBe(0);
  });

  it("where the role has a statement_timeout", async () => {
    await database.exec(`alter role ${role.name} set statement_timeout to '20ms'`);
    await database.exec(`
      create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(60); return new; end';
      create trigger slow before insert on checkpoints for each row execute function slow()`);
    const error = await put(role.url);
    expect(error).toBeInstanceOf(StatementCancelledError);
    expect(error).toMatchObject({ code: "STATEMENT_CANCELLED", sqlState: "57014" });
    expect(String(error)).toContain("raise it for this role");
    expect(retries).toBe(0);
  });

  it("where the disk is full", async () => {
    await database.exec(`
      create function full_disk() returns trigger language plpgsql
        as 'begin raise exception using errcode = ''53100'', message = ''could not extend file''; end';
      create trigger full_disk before insert on checkpoints for each row execute function full_disk()`);
    const error = await put(database.source);
    expect(error).toBeInstanceOf(DiskFullError);
    expect(error).toMatchObject({ code: "DISK_FULL", transient: false });
    expect(String(error)).toMatch(/could not extend file .*; make room on the server/);
    expect(retries).toBe(0);
  });
});
