import packageJson from "../../package.json" with { type: "json" };

/** Whom spans and metrics come from. */
export const SCOPE = { name: packageJson.name, version: packageJson.version };
