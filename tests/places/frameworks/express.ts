import { compiledMount } from "../inspector/documented-mount.js";
import { inspectService } from "../inspector/inspect-service.js";
import type { Place } from "../place.js";

const SERVICE = `
import express from "express";
import compression from "compression";
import { app } from "./mount.mjs";
import closable from "./closable.cjs";
const service = express().use(compression({ threshold: 0 }), express.json(), app);
const server = service.listen(process.env.PORT, "127.0.0.1");
closable(server, () => new Promise((resolve) => server.close(resolve)));
`;

export const express: Place = {
  name: "Express",
  kind: "Bundlers and frameworks",
  packages: { express: "5.3.0", compression: "1.8.2" },
  tried: { Express: "express", compression: "compression" },
  trials: {
    inspector: async (project) => {
      await project.write({ "mount.mjs": await compiledMount("Express"), "service.mjs": SERVICE });
      return inspectService(project, { args: () => ["service.mjs"] });
    },
  },
};
