import { KINDS, type Place } from "../place.js";
import type { PlaceReport } from "../run-place.js";
import { NODE_VERSION } from "../runtimes/node-package.js";

/** The page that {@link renderPage} writes. */
export const PAGE = new URL("../../../docs/places.md", import.meta.url);

const INTRODUCTION = `# Where it runs

Each line below is a run of one agent on the published package, in a folder that has nothing else than what the line names: the agent is
interrupted and resumed, reads its history, continues from an earlier checkpoint, uses the store, and deletes its thread. Where nothing is
said about settings, none is needed. A version is the one that was tried, not the only one that works. [Clients](clients.md) says which libraries of agents were tried.

A line with \`inspector\` also opens [the inspector](inspector.md#in-a-service) in a service, with the code that its page shows: the files,
calls, events and a download arrive as they were sent, and strangers are refused. Except in Next.js, the service is then closed while a page
is open.`;

const OPERATING_SYSTEMS = `## Operating systems

All of this ran on Linux. The continuous integration also runs the tests of savers, stores, archives and the command line on macOS and on
Windows. Nothing in the package is compiled. On Windows these things differ:

- Files of PGlite, of archives and of exports inherit the permissions of their folder, because there are no modes.
- An archive's folder is not flushed after a file got its name, because Windows can't. The file itself is flushed.
- There is no SIGTERM: a service that another process ends can't close its saver first. Ctrl-C ends commands and \`inspect\` cleanly.
- \`file:///C:/data\` and \`file://C:\\\\data\` name a folder for PGlite.`;

/** Renders docs/places.md. */
export function renderPage(reports: readonly PlaceReport[], { server }: { readonly server: string }): string {
  const sections = KINDS.map((kind) =>
    renderSection(
      kind,
      reports.filter(({ place }) => place.kind === kind),
    ),
  );
  const end = `Unless a line says otherwise, Node.js ${NODE_VERSION} ran the programs, with the driver \`pg\`, on ${server}. \`npm run test:places\` in
a clone of the repository runs all of this and writes this page.`;
  return `${[INTRODUCTION, ...sections, OPERATING_SYSTEMS, end].join("\n\n")}\n`;
}

function renderSection(kind: Place["kind"], reports: readonly PlaceReport[]): string {
  const rows = reports.flatMap(({ place, tried, outcomes }) =>
    outcomes.map(({ trial, result }) => `| ${place.name} | ${tried} | ${trial} | ${result} |`),
  );
  const notes = reports.flatMap(({ place: { name, notes: text } }) =>
    text === undefined ? [] : [`- **${name}**: ${text}`],
  );
  const table = ["| where | tried with | how | result |", "| --- | --- | --- | --- |", ...rows];
  return [`## ${kind}`, "", ...table, "", ...notes].join("\n").trimEnd();
}
