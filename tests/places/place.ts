import type { PlaceProject } from "./project/place-project.js";

/** The kinds of places, in the order of docs/places.md. */
export const KINDS = [
  "Node.js and other runtimes",
  "Bundlers and frameworks",
  "Tests",
  "Drivers and Kysely",
  "Servers and poolers",
  "Package managers",
] as const;

/** Runs the agent once, and returns what was printed. Throws where a program fails. */
export type Trial = (project: PlaceProject) => Promise<string>;

/** A server for the agent, with its name and version. */
export interface PlaceServer extends AsyncDisposable {
  readonly version: string;
  /** Creates an empty database, and returns its connection string. */
  createDatabase(): Promise<string>;
}

/** Where users run the package: a runtime, a bundler, a driver. The agent runs there on the packed package, once for each trial. */
export interface Place {
  readonly name: string;
  readonly kind: (typeof KINDS)[number];
  /** Exact versions of packages, beside the package itself and its required peers, whose versions they may change. */
  readonly packages: Readonly<Record<string, string>>;
  /** Exact versions of packages that are installed beside the project: package managers. */
  readonly tools?: Readonly<Record<string, string>>;
  /** The packages whose versions docs/places.md names, by what it calls them. */
  readonly tried: Readonly<Record<string, string>>;
  /** For docs/places.md: what a user sets, and what does not work and why. Markdown, in whole sentences. */
  readonly notes?: string;
  /** By what docs/places.md calls them. */
  readonly trials: Readonly<Record<string, Trial>>;
  /** Installs the packages in another way than by npm. */
  readonly install?: (project: PlaceProject) => Promise<void>;
  /** Starts a server of another kind than the others use; `undefined` where it is not installed. */
  readonly openServer?: () => Promise<PlaceServer | undefined>;
}
