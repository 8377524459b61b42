/**
 * A promise that a suite checks. It suits any test runner: `for (const { name, run } of cases) test(name, run)`.
 */
export interface SuiteCase {
  /** What is promised. No other case of the suite has this name. */
  readonly name: string;
  /** Checks it, and rejects where it does not hold. */
  readonly run: () => Promise<void>;
}

/** Checks a promise in a scene of its own. */
export type SceneCheck<Scene> = (scene: Scene) => Promise<void>;

/** A check whose scene needs options. */
interface CheckWithOptions<Scene, Options> {
  readonly options: Options;
  readonly check: SceneCheck<Scene>;
}

/** The cases of a suite by their names. */
export type Cases<Scene, Options> = Readonly<
  Record<string, SceneCheck<Scene> | CheckWithOptions<Scene, Options>>
>;

/** Returns the same check of each entry of a table. */
export function casesOf<Value, Scene>(
  name: string,
  table: Readonly<Record<string, Value>>,
  check: (value: Value, scene: Scene) => Promise<void>,
): Readonly<Record<string, SceneCheck<Scene>>> {
  const cases = Object.entries(table).map(
    ([what, value]) => [`${name}: ${what}`, (scene: Scene) => check(value, scene)] as const,
  );
  return Object.fromEntries(cases);
}

/** Returns cases whose scenes need the same options. */
export function withOptions<Scene, Options>(
  options: Options,
  checks: Readonly<Record<string, SceneCheck<Scene>>>,
): Cases<Scene, Options> {
  return Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, { options, check }]));
}

/**
 * Makes cases a suite.
 *
 * @param create - Creates what a case checks. It is closed at the end of the case, whether that passed or not.
 */
export function suiteOf<Scene, Options, Subject extends { close?(): Promise<void> }>(
  cases: Cases<Scene, Options>,
  create: (options: Partial<Options>) => Promise<Subject>,
  sceneOf: (subject: Subject) => Scene,
): readonly SuiteCase[] {
  return Object.entries(cases).map(([name, each]) => ({
    name,
    run: async () => {
      const { options, check } = typeof each === "function" ? { options: {}, check: each } : each;
      const subject = await create(options);
      try {
        await check(sceneOf(subject));
      } finally {
        await subject.close?.();
      }
    },
  }));
}
