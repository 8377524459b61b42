import { compiledMount } from "../inspector/documented-mount.js";
import { inspectService } from "../inspector/inspect-service.js";
import type { Place } from "../place.js";
import { NODE_PACKAGE, NODE_VERSION } from "../runtimes/node-package.js";

const SERVICE = `
import { server } from "./mount.mjs";
import closable from "./closable.cjs";
closable(server, () => new Promise((resolve) => server.close(resolve)));
`;

export const nodeHttp: Place = {
  name: "node:http",
  kind: "Bundlers and frameworks",
  packages: { [NODE_PACKAGE]: NODE_VERSION },
  tried: { "Node.js": NODE_PACKAGE },
  trials: {
    inspector: async (project) => {
      await project.write({ "mount.mjs": await compiledMount("Node.js"), "service.mjs": SERVICE });
      return inspectService(project, { args: () => ["service.mjs"] });
    },
  },
};
