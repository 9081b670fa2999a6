// The files that `npm test` runs: all that are not slow.

const { isSlow } = require('./slow-files');

module.exports = async (files) => ({ filtered: files.filter((file) => !isSlow(file)) });
