import { documentedMount } from "../inspector/documented-mount.js";
import { inspectService } from "../inspector/inspect-service.js";
import type { Place, Trial } from "../place.js";
import { textAt } from "../project/place-project.js";

/** What `nest new` writes, as far as it matters here. */
const FILES = {
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      ...{ module: "nodenext", moduleResolution: "nodenext", target: "es2023", isolatedModules: true },
      ...{ experimentalDecorators: true, emitDecoratorMetadata: true, esModuleInterop: true },
      ...{ outDir: "dist", rootDir: "src", strict: true, skipLibCheck: true, types: ["node", "jest"] },
    },
    include: ["src"],
  }),
  "jest.config.json": JSON.stringify({
    ...{ moduleFileExtensions: ["js", "json", "ts"], rootDir: "src", testRegex: ".*\\.spec\\.ts$" },
    ...{ transform: { "^.+\\.(t|j)s$": "ts-jest" }, testEnvironment: "node" },
  }),
  "src/agent.service.ts": `
import { Injectable, type OnModuleDestroy, type OnModuleInit } from "@nestjs/common";
import { PostgresSaver } from "langgraph-checkpoint-kysely";
const { runAgent } = require("../agent.cjs");

@Injectable()
export class AgentService implements OnModuleInit, OnModuleDestroy {
  readonly #saver = new PostgresSaver(process.env.DATABASE_URL ?? "");
  async onModuleInit() {
    await this.#saver.setup();
  }
  async run(): Promise<string> {
    return runAgent(process.env.DATABASE_URL);
  }
  async onModuleDestroy() {
    await this.#saver.end();
  }
}
`,
  "src/app.module.ts": `
import { Controller, Get, Module } from "@nestjs/common";
import { AgentService } from "./agent.service";

@Controller()
class AppController {
  constructor(private readonly agent: AgentService) {}
  @Get("agent")
  run(): Promise<string> {
    return this.agent.run();
  }
}

@Module({ controllers: [AppController], providers: [AgentService] })
export class AppModule {}
`,
  "src/main.ts": `
import { NestFactory } from "@nestjs/core";
import { AppModule } from "./app.module";

async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  await app.listen(process.env.PORT ?? 3000, "127.0.0.1");
}
void bootstrap();
`,
  "src/agent.spec.ts": `
import { Test } from "@nestjs/testing";
import { AgentService } from "./agent.service";
import { AppModule } from "./app.module";

test("the agent runs", async () => {
  const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
  await module.init();
  console.log(await module.get(AgentService).run());
  await module.close();
});
`,
};

const INSPECTED = `
import { bootstrap } from "./mount";
const closable = require("../closable.cjs");
void bootstrap().then((app) => closable(app.getHttpServer(), () => app.close()));
`;

/** @param change - Makes another program of the one that the documents show. */
const inspected =
  (change: (mount: string) => string): Trial =>
  async (project) => {
    const mount = change(await documentedMount("NestJS"));
    await project.write({ ...FILES, "src/mount.ts": mount, "src/inspected.ts": INSPECTED });
    await project.node(await project.bin("typescript", "tsc"));
    return inspectService(project, { args: () => ["dist/inspected.js"] });
  };

const withFastify = (mount: string): string =>
  `import { FastifyAdapter } from "@nestjs/platform-fastify";\n${mount.replace("(AppModule)", "(AppModule, new FastifyAdapter())")}`;

const SHARED = {
  "reflect-metadata": "0.2.2",
  rxjs: "7.8.2",
  typescript: "6.0.3",
  jest: "30.5.2",
  "ts-jest": "29.4.15",
  "@types/jest": "30.0.0",
  "@types/node": "24.10.1",
};

/**
 * @param versions - Of Nest's packages.
 * @param flags - Of the Node.js that runs Jest, in the script `test` that Nest writes.
 */
function nest(
  versions: { readonly core: string; readonly fastify: string; readonly testing: string },
  flags: readonly string[],
): Place {
  const { core, fastify, testing } = versions;
  return {
    name: `NestJS ${core.split(".")[0]}`,
    kind: "Bundlers and frameworks",
    packages: {
      "@nestjs/core": core,
      "@nestjs/common": core,
      "@nestjs/platform-express": core,
      "@nestjs/platform-fastify": fastify,
      "@nestjs/testing": testing,
      ...SHARED,
    },
    tried: {
      ...{ NestJS: "@nestjs/core", "@nestjs/platform-fastify": "@nestjs/platform-fastify" },
      "ts-jest": "ts-jest",
    },
    trials: {
      "service, CommonJS": async (project) => {
        await project.write(FILES);
        await project.node(await project.bin("typescript", "tsc"));
        return project.serve(
          () => ["dist/main.js"],
          (origin) => textAt(`${origin}/agent`),
        );
      },
      inspector: inspected((mount) => mount),
      "inspector with Fastify": inspected(withFastify),
      "tests by ts-jest": async (project) => {
        await project.write(FILES);
        return project.node(...flags, await project.bin("jest"), "--config", "jest.config.json");
      },
    },
  };
}

/** Each NestJS with the settings of its own template for CommonJS. */
export const nests: readonly Place[] = [
  nest({ core: "11.2.10", fastify: "11.2.8", testing: "11.2.6" }, []),
  nest({ core: "12.5.1", fastify: "12.5.0", testing: "12.1.1" }, ["--experimental-vm-modules"]),
];
