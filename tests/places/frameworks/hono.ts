import { compiledMount } from "../inspector/documented-mount.js";
import { inspectService } from "../inspector/inspect-service.js";
import type { Place } from "../place.js";

const SERVICE = `
import { serve } from "@hono/node-server";
import { app, sessions } from "./mount.mjs";
import closable from "./closable.cjs";
sessions.set("1", { isAdmin: true });
const server = serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: "127.0.0.1" });
closable(server, () => new Promise((resolve) => server.close(resolve)));
`;

export const hono: Place = {
  name: "Hono",
  kind: "Bundlers and frameworks",
  packages: { hono: "4.13.19", "@hono/node-server": "2.1.9" },
  tried: { Hono: "hono", "@hono/node-server": "@hono/node-server" },
  trials: {
    inspector: async (project) => {
      await project.write({ "mount.mjs": await compiledMount("Hono"), "service.mjs": SERVICE });
      return inspectService(project, { args: () => ["service.mjs"], visitor: { cookie: "session=1" } });
    },
  },
};
