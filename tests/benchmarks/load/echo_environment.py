"""An environment on openenv-core that says what it was told; run by a Python that has it.

python -m uvicorn echo_environment:app --workers 2
"""

from openenv.core.env_server import Action, Environment, Observation, State, create_app


class EchoAction(Action):
    message: str


class EchoObservation(Observation):
    message: str = ""


class EchoEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed=None, episode_id=None, **_):
        return EchoObservation(message="ready")

    def step(self, action, timeout_s=None, **_):
        return EchoObservation(message=action.message, reward=1.0)

    @property
    def state(self):
        return State()


app = create_app(
    EchoEnvironment, EchoAction, EchoObservation, env_name="echo", max_concurrent_envs=1024
)
