// Requires modules, and fails where one has an effect as it loads: asks for random numbers, starts a timer, connects, or listens to the
// process. Cloudflare Workers refuse most of that outside of a request: node load-without-effects.cjs <module>...
const crypto = require("node:crypto");
const net = require("node:net");
const timers = require("node:timers");

const TIMERS = ["setTimeout", "setInterval", "setImmediate"];
const RANDOM = [
  "randomUUID",
  "randomBytes",
  "randomInt",
  "randomFill",
  "randomFillSync",
  "generateKeyPairSync",
];
const WATCHED = [
  [crypto, RANDOM],
  [Object.getPrototypeOf(crypto.webcrypto), ["randomUUID", "getRandomValues"]],
  [Math, ["random"]],
  [timers, TIMERS],
  [globalThis, [...TIMERS, "fetch"]],
  [net, ["connect", "createConnection"]],
  [process, ["on", "once", "addListener", "prependListener"]],
];

// What other packages do as they load is not tested here.
for (const name of ["@langchain/langgraph-checkpoint", "@langchain/core/messages", "pg", "zod", "commander"])
  require(name);

for (const [owner, names] of WATCHED) {
  for (const name of names) {
    const value = () => {
      throw new Error(`${name} was called as a module loaded`);
    };
    Object.defineProperty(owner, name, { value });
  }
}
for (const path of process.argv.slice(2)) require(path);
