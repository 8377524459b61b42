/**
 * Returns a function that loads a module when it is first called. Calls continue in the order in which they were made: a second `import()`
 * may be done before the first.
 */
export function loadOnce<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loaded: Promise<Module> | undefined;
  return () => (loaded ??= load());
}
