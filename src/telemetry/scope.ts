import packageJson from "../../package.json" with { type: "json" };

/** The instrumentation scope of spans and metrics. */
export const SCOPE = { name: packageJson.name, version: packageJson.version };
