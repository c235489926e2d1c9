/** Strict: an undefined, pending or skipped step fails the run. Scenarios marked @http need a running service, see features/support. */
export default {
  paths: ["features/**/*.feature"],
  import: ["features/support/**/*.ts", "features/steps/**/*.ts"],
  format: ["progress"],
  strict: true,
  publish: false,
};
