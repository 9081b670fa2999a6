// Jest calls it in each test file. A function, because a module runs once for all files (shared-runtime.js).

module.exports = () => {
  const { closeAll } = require('./cleanup');
  const variables = { ...process.env };
  afterAll(async () => {
    await closeAll();
    // The next file has the same process.
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, variables);
  });
};
