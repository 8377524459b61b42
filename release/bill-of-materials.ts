/**
 * Prints the bill of materials of the package as CycloneDX: what npm installs with it, and what became a part of the build. npm knows only the
 * former. It reads the lock file and the licenses of the build, so build first.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { bundledPackages } from "./licenses.js";

const Component = z.looseObject({ "bom-ref": z.string(), name: z.string() });
const Bill = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({ "bom-ref": z.string(), name: z.string() }) }),
  components: z.array(Component),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});
const Manifest = z.object({ name: z.string(), dependencies: z.record(z.string(), z.string()) });

const ROOT = new URL("..", import.meta.url);

const manifest = Manifest.parse(JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8")));
const bill = wholeBill();
const bundled = await bundledPackages(fileURLToPath(new URL("dist/third-party-licenses.txt", ROOT)));
const installed = installedPackages();
for (const ref of bundled)
  if (!bill.components.some((component) => component["bom-ref"] === ref))
    throw new Error(`${ref} is a part of the build, but not in the lock file`);

const { component } = bill.metadata;
process.stdout.write(
  `${JSON.stringify(
    {
      ...bill,
      metadata: { ...bill.metadata, component: { ...component, name: manifest.name } },
      components: bill.components
        .filter((each) => installed.has(each["bom-ref"]) || bundled.includes(each["bom-ref"]))
        .map((each) => ({ ...each, scope: "required", properties: propertiesOf(each["bom-ref"]) })),
      dependencies: [
        { ref: component["bom-ref"], dependsOn: [...new Set([...directPackages(), ...bundled])] },
        ...bill.dependencies.filter(({ ref }) => installed.has(ref)),
      ],
    },
    null,
    2,
  )}\n`,
);

function propertiesOf(ref: string): { name: string; value: string }[] {
  return bundled.includes(ref) ? [{ name: "cdx:npm:package:bundled", value: "true" }] : [];
}

/** The packages that npm installs with this one. */
function installedPackages(): Set<string> {
  const found = new Set(directPackages());
  // A set also gives what is added while it is read.
  for (const ref of found) for (const next of dependenciesOf(ref)) found.add(next);
  return found;
}

function directPackages(): string[] {
  const names = new Map(bill.components.map((each) => [each["bom-ref"], each.name]));
  return dependenciesOf(bill.metadata.component["bom-ref"]).filter(
    (ref) => (names.get(ref) ?? "") in manifest.dependencies,
  );
}

function dependenciesOf(ref: string): readonly string[] {
  return bill.dependencies.find((each) => each.ref === ref)?.dependsOn ?? [];
}

/** The bill of everything that the lock file names: npm leaves packages out of that without tools that a tool needs as well. */
function wholeBill(): z.infer<typeof Bill> {
  const printed = execFileSync(
    "npm",
    ["sbom", "--sbom-format=cyclonedx", "--sbom-type=library", "--package-lock-only"],
    {
      cwd: fileURLToPath(ROOT),
      encoding: "utf8",
      maxBuffer: 2 ** 26,
      // On Windows npm is a batch file.
      shell: process.platform === "win32",
    },
  );
  return Bill.parse(JSON.parse(printed));
}
