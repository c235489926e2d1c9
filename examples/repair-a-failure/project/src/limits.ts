export const limits = {
  requestsPerMinute: 60,
  bodyBytes: 1024 * 1024,
};
