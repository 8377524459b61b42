import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { describeServer } from "../../test-support/targets.js";
import { cli } from "./cli.js";
import { refilledDatabase } from "./filled-database.js";

describeServer("import --check", (target) => {
  const filled = refilledDatabase(target);
  const { run } = filled;
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "checkpoint-check-"));
    file = join(folder, "all.ndjson");
    await run("export", "--output", file);
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("verifies a backup, a compressed one and a file of an archive, without a database", async () => {
    await writeFile(`${file}.gz`, gzipSync(await readFile(file)));
    const archive = join(folder, "archive");
    await run("archive", "42", "--to", archive, "--yes");
    const [archived = ""] = await readdir(archive);
    for (const path of [file, `${file}.gz`, join(archive, archived)]) {
      expect(await cli(["import", path, "--check"])).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^checked \d threads?: \d+ checkpoints, .*: the backup is intact\n$/),
        stderr: "",
      });
    }
    const stdin = await readFile(file, "utf8");
    expect(await cli(["import", "--check", "--json"], { stdin })).toMatchObject({ code: 0 });
  });

  it("names the line of a fault, and exits with 1", async () => {
    const lines = (await readFile(file, "utf8")).split("\n");
    await writeFile(file, lines.with(4, `${lines[4] ?? ""}x`).join("\n"));
    expect(await cli(["import", file, "--check"])).toEqual({
      code: 1,
      stdout: expect.stringMatching(
        /LINE +FAULT\n5 +the backup is truncated or damaged: .*\n[^]* its checksum does not match\n\nchecked .*: 4 faults\n$/,
      ),
      stderr: "",
    });
    const { code, stdout } = await cli(["import", file, "--check", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      isIntact: false,
      faultCount: 4,
      faults: [{ line: 5 }, {}, {}, {}],
    });
  });

  it("imports a compressed backup", async () => {
    await writeFile(`${file}.gz`, gzipSync(await readFile(file)));
    const { code, stdout } = await run("import", `${file}.gz`);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("imported 4 threads") });
  });
});
