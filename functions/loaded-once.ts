/** What `load` gives, loaded at the first call and kept; a load that fails is tried again by the next call. */
export const loadedOnce = <Loaded>(load: () => Promise<Loaded>): (() => Promise<Loaded>) => {
  let loaded: Promise<Loaded> | undefined;
  return () => {
    if (loaded !== undefined) return loaded;
    const loading = load();
    loading.catch(() => {
      loaded = undefined;
    });
    loaded = loading;
    return loading;
  };
};
