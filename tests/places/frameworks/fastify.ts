import { compiledMount } from "../inspector/documented-mount.js";
import { inspectService } from "../inspector/inspect-service.js";
import type { Place } from "../place.js";

const SERVICE = `
import { app } from "./mount.mjs";
import closable from "./closable.cjs";
await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });
closable(app.server, () => app.close());
`;

export const fastify: Place = {
  name: "Fastify",
  kind: "Bundlers and frameworks",
  packages: { fastify: "5.12.8" },
  tried: { Fastify: "fastify" },
  trials: {
    inspector: async (project) => {
      await project.write({ "mount.mjs": await compiledMount("Fastify"), "service.mjs": SERVICE });
      return inspectService(project, { args: () => ["service.mjs"] });
    },
  },
};
