import { compiledMount } from "../inspector/documented-mount.js";
import { inspectService } from "../inspector/inspect-service.js";
import type { Place, Trial } from "../place.js";
import { type PlaceProject, textAt } from "../project/place-project.js";

const FILES = {
  "app/layout.jsx": `
export default function Layout({ children }) {
  return <html><body>{children}</body></html>;
}
`,
  "app/page.jsx": `
export default function Page() {
  return "A page";
}
`,
  "app/handler/route.js": `
import { runAgent } from "../../agent.mjs";
export const dynamic = "force-dynamic";
export async function GET() {
  return new Response(await runAgent(process.env.DATABASE_URL));
}
`,
  "app/required/route.js": `
const { runAgent } = require("../../agent.cjs");
export const dynamic = "force-dynamic";
export async function GET() {
  return new Response(await runAgent(process.env.DATABASE_URL));
}
`,
  "app/action/page.jsx": `
import { runAgent } from "../../agent.mjs";
async function act() {
  "use server";
  console.log(await runAgent(process.env.DATABASE_URL));
}
export default function Page() {
  return <form action={act}><button>Run</button></form>;
}
`,
};

type Use = (origin: string) => Promise<string>;

const useHandler: Use = (origin) => textAt(`${origin}/handler`);
const useRequired: Use = (origin) => textAt(`${origin}/required`);

/** Submits the form as a browser without JavaScript does. The action prints its result. */
const useAction: Use = async (origin) => {
  const [, id] = /name="(\$ACTION_ID_[^"]+)"/.exec(await textAt(`${origin}/action`)) ?? [];
  if (id === undefined) throw new Error("The page has no form with an action");
  const body = new FormData();
  body.set(id, "");
  await textAt(`${origin}/action`, { method: "POST", body });
  return "";
};

function trialsWith(bundler: "turbopack" | "webpack"): Readonly<Record<string, Trial>> {
  const name = bundler === "turbopack" ? "Turbopack" : bundler;
  const started =
    (use: Use): Trial =>
    async (project) => {
      await build(project, bundler);
      const next = await project.bin("next");
      return project.serve((port) => [next, "start", "--port", port], use);
    };
  const developed =
    (use: Use): Trial =>
    async (project) => {
      await writeFiles(project);
      const next = await project.bin("next");
      return project.serve((port) => [next, "dev", `--${bundler}`, "--port", port], use);
    };
  const inspected =
    (prepare: (project: PlaceProject) => Promise<void>, ...command: readonly string[]): Trial =>
    async (project) => {
      await prepare(project);
      const next = await project.bin("next");
      const args = (port: string): string[] => [next, ...command, "--port", port];
      return inspectService(project, { args, isClosable: false });
    };
  return {
    [`build with ${name}, route handler`]: started(useHandler),
    [`build with ${name}, route handler with require`]: started(useRequired),
    [`build with ${name}, server action`]: started(useAction),
    [`build with ${name}, inspector`]: inspected((project) => build(project, bundler), "start"),
    [`dev with ${name}, route handler`]: developed(useHandler),
    [`dev with ${name}, inspector`]: inspected(writeFiles, "dev", `--${bundler}`),
  };
}

/** Builds once for all trials that start the build. */
async function build(project: PlaceProject, bundler: string): Promise<void> {
  if ((await project.read("built-by").catch(() => "")) === bundler) return;
  await writeFiles(project);
  await project.node(await project.bin("next"), "build", `--${bundler}`);
  await project.write({ "built-by": bundler });
}

async function writeFiles(project: PlaceProject): Promise<void> {
  await project.write({ ...FILES, "app/inspector/[[...path]]/route.js": await compiledMount("Next.js") });
}

export const next: Place = {
  name: "Next.js",
  kind: "Bundlers and frameworks",
  packages: { next: "16.4.6", react: "19.3.1", "react-dom": "19.3.1" },
  tried: { "Next.js": "next" },
  notes:
    "No setting is needed, with Turbopack or webpack. Routes and actions run in the runtime `nodejs`, which is the default. The runtime " +
    "`edge` does not work: it has no sockets, which `pg` needs.",
  trials: { ...trialsWith("turbopack"), ...trialsWith("webpack") },
};
