def score(result, oracle_path):
    return {"pass": result == open(oracle_path).read()}
