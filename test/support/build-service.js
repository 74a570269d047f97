// Before any suite: tests that start the service in its own process start the build, as users do.
module.exports = () => {
  require('../../scripts/build-if-needed.js');
};
