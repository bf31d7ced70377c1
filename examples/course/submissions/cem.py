from linebyline.exercises import check


def weighted_average(weights, values)
    return weights @ values / weights.sum()


check("masks_and_cross_attention.reach", 16)
