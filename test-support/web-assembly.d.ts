// Node.js has WebAssembly, but none of the type libraries of this project declares it.
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: "WebAssembly.Module";
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}
