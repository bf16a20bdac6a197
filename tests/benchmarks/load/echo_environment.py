"""An environment on openenv-core that says what it was told; run by a Python that has it.

python echo_environment.py PORT WORKERS
"""

import sys

import uvicorn
from openenv.core.env_server import Action, Environment, Observation, State, create_app


class Said(Action):
    message: str


class Heard(Observation):
    message: str = ""


class Echo(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed=None, episode_id=None, **_):
        return Heard(message="ready")

    def step(self, action, timeout_s=None, **_):
        return Heard(message=action.message, reward=1.0)

    @property
    def state(self):
        return State()


app = create_app(Echo, Said, Heard, env_name="echo", max_concurrent_envs=1024)

if __name__ == "__main__":
    port, workers = map(int, sys.argv[1:])
    told = {"port": port, "workers": workers, "log_level": "warning", "access_log": False}
    uvicorn.run("echo_environment:app", **told)
